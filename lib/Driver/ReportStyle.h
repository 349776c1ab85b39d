// How a report looks, on light and dark screens.
#pragma once

namespace teeny {

inline constexpr char reportStyle[] = R"css(
:root { color-scheme: light dark; --ink: #1c2024; --paper: #fcfcfd; --soft: #60646c; --line: #d9d9e0;
  --fill: #f0f0f3; --accent: #0a66c2; --fused: #e6f1fb; --warn: #b3261e; --light: 78%; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ec; --paper: #17181c; --soft: #a5a7b0; --line: #3a3b42;
  --fill: #24252b; --accent: #7ab8ff; --fused: #1b3350; --warn: #ff8a80; --light: 38%; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 15px/1.5 system-ui, sans-serif; }
h1, h2 { line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; }
a { color: var(--accent); }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
tr:target { background: var(--fused); }
.warn { color: var(--warn); }
table.sizes td:last-child { min-width: 22rem; white-space: nowrap; }
.bar { display: inline-block; height: .7em; min-width: 1px; max-width: 75%; background: var(--accent); }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; }
svg text.name { font-weight: 600; }
svg .tensor rect, svg .launch rect { fill: var(--fill); stroke: var(--soft); }
svg .fused rect { fill: var(--fused); stroke: var(--accent); }
svg .edge { fill: none; stroke: var(--soft); }
svg .head { fill: var(--soft); }
svg .grid { stroke: var(--line); }
svg text.axis { fill: var(--soft); font-size: 11px; }
svg text.end { text-anchor: end; }
svg text.inside { font-size: 11px; pointer-events: none; }
svg .buffer { fill: hsl(var(--hue) 45% var(--light)); stroke: var(--paper); }
svg .part { fill: none; stroke: var(--ink); stroke-dasharray: 3 2; }
)css";

} // namespace teeny
