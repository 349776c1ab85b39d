#include "Support/Json.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

struct Parsed {
  explicit Parsed(std::string text, JsonLimits limits = {})
      : document(parseJson(sources.add("t.json", std::move(text)), diagnostics, limits)) {}

  JsonField root() { return {&document->root(), diagnostics}; }
  std::string errors() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.render(os);
    return text;
  }

  Sources sources;
  Diagnostics diagnostics;
  std::unique_ptr<JsonDocument> document;
};

std::string placeText(const SourceLocation &at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column) + "+" +
         std::to_string(at.length) + " " + at.jsonPath;
}

void collect(const JsonValue &value, std::string &text) {
  text += placeText(value.location()) + " = " + value.describe() + "\n";
  for (const JsonValue *child : value.children())
    collect(*child, text);
}

} // namespace

TEST_CASE("every value knows its place and path") {
  Parsed json("{ \"nodes\" :[ {\"op\":\"a\\\"b\"},\n\t-12 , 1.5e3,true,false ,null],\n\n"
              " \"\": {\"x.y\": []}, \"\\u00e4\": \"\xC3\xA4\" }");
  REQUIRE(json.document);
  std::string text;
  collect(json.document->root(), text);
  CHECK(text == "1:1+1  = an object\n"
                "1:12+1 nodes = an array\n"
                "1:14+1 nodes[0] = an object\n"
                "1:20+6 nodes[0].op = the string \"a\\\"b\"\n"
                "2:2+3 nodes[1] = -12\n"
                "2:8+5 nodes[2] = 1.5e3\n"
                "2:14+4 nodes[3] = true\n"
                "2:19+5 nodes[4] = false\n"
                "2:26+4 nodes[5] = null\n"
                "4:6+1  = an object\n"
                "4:14+1 x.y = an array\n"
                "4:29+4 \xC3\xA4 = the string \"\xC3\xA4\"\n");
  const JsonValue *nodes = json.document->root().member("nodes");
  CHECK(placeText(nodes->keyLocation()) == "1:3+7 nodes");
  CHECK(nodes->children()[0]->member("op")->rawString() == "a\"b");
  CHECK(nodes->children()[0]->member("op")->called() == "'op'");
  CHECK(nodes->children()[1]->called() == "'nodes[1]'");
  CHECK(nodes->member("op") == nullptr);
}

TEST_CASE("a byte order mark and all kinds of line ends are skipped") {
  Parsed json("\xEF\xBB\xBF\r\n{\r\n\"a\":\r\n1}\r\n");
  REQUIRE(json.document);
  CHECK(placeText(json.document->root().member("a")->location()) == "4:1+1 a");
}

TEST_CASE("integers keep all their bits") {
  Parsed json("[9007199254740993, 9223372036854775807, -9223372036854775808, -0]");
  REQUIRE(json.document);
  auto items = json.root().array();
  REQUIRE(items);
  CHECK((*items)[0].integer() == 9007199254740993);
  CHECK((*items)[1].integer() == INT64_MAX);
  CHECK((*items)[2].integer() == INT64_MIN);
  CHECK((*items)[3].integer() == 0);
  CHECK(json.errors() == "");
}

TEST_CASE("what is no integer of 64 bits is none") {
  for (std::string text : {"1.0", "1e3", "9223372036854775808", "18446744073709551616",
                           "-9223372036854775809", "true", "null", "[]", "{}"}) {
    Parsed json("{\"n\": " + text + "}");
    REQUIRE(json.document);
    CHECK_FALSE(JsonField(json.document->root().member("n"), json.diagnostics).integer());
    CHECK_THAT(json.errors(),
               Catch::StartsWith("t.json:1:7: error: 'n' must be an integer of 64 bits, found "));
  }
}

TEST_CASE("numbers, strings, booleans and ranges are checked") {
  Parsed json(R"({"n": 7, "s": "x", "b": true, "r": 11, "m": -3})");
  auto field = [&](const char *key) {
    return JsonField(json.document->root().member(key), json.diagnostics);
  };
  CHECK(field("n").number() == 7.0);
  CHECK(field("s").string() == "x");
  CHECK(field("b").boolean() == true);
  CHECK(field("n").integer(7, 7) == 7);
  CHECK_FALSE(field("absent").string());
  CHECK_FALSE(field("absent").integer(1, 2));
  CHECK(json.errors() == "");
  CHECK_FALSE(field("r").integer(0, 10));
  CHECK_FALSE(field("m").integer(0, INT64_MAX));
  CHECK_FALSE(field("s").number());
  CHECK_FALSE(field("n").string());
  CHECK_FALSE(field("n").boolean());
  CHECK_FALSE(field("n").array());
  CHECK_FALSE(field("n").object());
  std::string all;
  for (const Diagnostic &diagnostic : json.diagnostics.all())
    all += diagnostic.message + "\n";
  CHECK(all == "'r' must be from 0 to 10, found 11\n"
               "'m' must be at least 0, found -3\n"
               "'s' must be a number, found the string \"x\"\n"
               "'n' must be a string, found 7\n"
               "'n' must be true or false, found 7\n"
               "'n' must be an array, found 7\n"
               "'n' must be an object, found 7\n");
}

TEST_CASE("objects report missing and unknown keys, a misspelt one once") {
  Parsed json(R"({"name": "x", "inptus": [], "zzz": 1})");
  JsonObject object(json.root(), "a node");
  CHECK(object.required("name").string() == "x");
  CHECK_FALSE(object.required("inputs"));
  CHECK_FALSE(object.required("op"));
  CHECK_FALSE(object.optional("doc"));
  CHECK_FALSE(object.finish());
  CHECK(json.errors() == R"(t.json:1:15: error: unknown key 'inptus' in a node
  1 | {"name": "x", "inptus": [], "zzz": 1}
    |               ^~~~~~~~
  at inptus
  hint: did you mean 'inputs'?
t.json:1:29: error: unknown key 'zzz' in a node
  1 | {"name": "x", "inptus": [], "zzz": 1}
    |                             ^~~~~
  at zzz
t.json:1:1: error: a node needs 'op'
  1 | {"name": "x", "inptus": [], "zzz": 1}
    | ^
)");
}

TEST_CASE("what is no object is reported once") {
  Parsed json("[3]");
  JsonObject object((*json.root().array())[0], "a node");
  CHECK_FALSE(object);
  CHECK_FALSE(object.required("name").string());
  CHECK_FALSE(object.finish());
  CHECK(json.errors() == "t.json:1:2: error: a node must be an object, found 3\n"
                         "  1 | [3]\n    |  ^\n  at [0]\n");
}

TEST_CASE("all duplicate keys are reported with both places") {
  Parsed json("{\"a\": {\"x\": 1, \"x\": {\"y\": 2}},\n \"b\": 1, \"a\": 3}");
  CHECK_FALSE(json.document);
  CHECK(json.errors() == R"(t.json:1:16: error: duplicate key 'x'
  1 | {"a": {"x": 1, "x": {"y": 2}},
    |                ^~~
  at a.x
t.json:1:8: note: the first is here
  1 | {"a": {"x": 1, "x": {"y": 2}},
    |        ^~~
  at a.x
t.json:2:10: error: duplicate key 'a'
  2 |  "b": 1, "a": 3}
    |          ^~~
  at a
t.json:1:2: note: the first is here
  1 | {"a": {"x": 1, "x": {"y": 2}},
    |  ^~~
  at a
)");
}

TEST_CASE("malformed texts") {
  struct Case {
    std::string text, place, message, hint;
  };
  std::string ended = "malformed JSON: unexpected end of input; expected ";
  for (const Case &c : {
           Case{"", "1:1", ended + "'[', '{', or a literal", ""},
           Case{"{\"a\": [1,\n", "2:1", ended + "'[', '{', or a literal", ""},
           Case{"{\"a\": \"b", "1:9", "malformed JSON: invalid string: missing closing quote", ""},
           Case{"{\"a\": 1} x", "1:10", "malformed JSON: invalid literal; expected end of input",
                ""},
           Case{"{\"a\": 1}{", "1:9", "malformed JSON: unexpected '{'; expected end of input", ""},
           Case{"[1, NaN]", "1:5", "malformed JSON: NaN is not a JSON number", ""},
           Case{"[-Infinity]", "1:2", "malformed JSON: -Infinity is not a JSON number", ""},
           Case{"[1,]", "1:4", "malformed JSON: unexpected ']'; expected '[', '{', or a literal",
                "no comma after the last one"},
           Case{"{\"a\": 1,}", "1:9", "malformed JSON: unexpected '}'; expected string literal",
                "no comma after the last one"},
           Case{"[1] // no", "1:5", "malformed JSON: invalid literal; expected end of input",
                "JSON has no comments"},
           Case{"['a']", "1:2", "malformed JSON: invalid literal",
                "strings stand in double quotes"},
           Case{"{a: 1}", "1:2", "malformed JSON: invalid literal; expected string literal", ""},
           Case{"[01]", "1:3", "malformed JSON: unexpected number literal; expected ']'", ""},
           Case{"[\"\xFF\"]", "1:3", "malformed JSON: invalid string: ill-formed UTF-8 byte", ""},
           Case{"[\"\xC0\xAF\"]", "1:3", "malformed JSON: invalid string: ill-formed UTF-8 byte",
                ""},
           Case{"[\"\xED\xA0\x80\"]", "1:4",
                "malformed JSON: invalid string: ill-formed UTF-8 byte", ""},
           Case{std::string("[\0]", 3), "1:2", "malformed JSON: a NUL byte", ""},
           Case{std::string("[]\0[", 4), "1:3", "malformed JSON: a NUL byte", ""},
           Case{"[1.x]", "1:2", "malformed JSON: invalid number; expected digit after '.'", ""},
           Case{"[truefalse]", "1:6", "malformed JSON: unexpected false literal; expected ']'", ""},
       }) {
    Parsed json(c.text);
    CAPTURE(c.text);
    CHECK_FALSE(json.document);
    REQUIRE(json.diagnostics.errorCount() == 1);
    const Diagnostic &report = json.diagnostics.all()[0];
    CHECK(std::to_string(report.location.line) + ":" + std::to_string(report.location.column) ==
          c.place);
    CHECK(report.message == c.message);
    CHECK(report.hint == c.hint);
  }
}

TEST_CASE("a number that no double holds is refused") {
  Parsed json("[1e999]");
  CHECK_FALSE(json.document);
  CHECK(json.diagnostics.errorCount() == 1);
}

TEST_CASE("nesting is limited, and 10^6 brackets are an error like any other") {
  auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(Parsed(nested(64)).document);
  for (std::string text : {nested(65), std::string(1000000, '['), nested(1000000)}) {
    Parsed json(text);
    CHECK_FALSE(json.document);
    REQUIRE(json.diagnostics.errorCount() == 1);
    CHECK(json.diagnostics.all()[0].message == "nested deeper than 64 levels");
    CHECK(json.diagnostics.all()[0].location.column == 65);
  }
  std::string objects;
  for (int i = 0; i < 100000; ++i)
    objects += "{\"a\":";
  Parsed json(objects);
  REQUIRE(json.diagnostics.errorCount() == 1);
  CHECK(json.diagnostics.all()[0].message == "nested deeper than 64 levels");
}

TEST_CASE("the number of values is limited") {
  JsonLimits limits;
  limits.values = 4;
  CHECK(Parsed("[1,2,3]", limits).document);
  Parsed json("[1,2,3,4]", limits);
  CHECK_FALSE(json.document);
  REQUIRE(json.diagnostics.errorCount() == 1);
  CHECK(json.diagnostics.all()[0].message == "more than 4 values in one file");
  CHECK(placeText(json.diagnostics.all()[0].location) == "1:8+1 [3]");
}

TEST_CASE("a string of many megabytes is a value like any other") {
  Parsed json("{\"a\": \"" + std::string(50000000, 'x') + "\", \"b\": }");
  CHECK_FALSE(json.document);
  REQUIRE(json.diagnostics.errorCount() == 1);
  CHECK(json.diagnostics.all()[0].location.column == 50000016);
  CHECK(json.errors().size() < 1000);
}
