#include "Runtime/CApi/Handles.h"
#include "Runtime/Devices.h"

#include <cstring>

using namespace teeny;
using namespace teeny::rt;

// The caller's struct may be of an older version of this header, and so shorter.
static Result<teeny_session_options> readOptions(const teeny_session_options *options) {
  teeny_session_options known = TEENY_SESSION_OPTIONS_INIT;
  if (!options)
    return known;
  if (options->size < sizeof(size_t) || options->size > 4096)
    return Error{ErrorCode::invalid,
                 "the session options are not initialised: use TEENY_SESSION_OPTIONS_INIT"};
  memcpy(&known, options, std::min(options->size, sizeof known));
  if (known.threads < 0 || known.threads > 4096)
    return Error{ErrorCode::invalid, "the number of threads is " + std::to_string(known.threads) +
                                         ", expected 0 to 4096"};
  return known;
}

static Status createSession(const teeny_bundle *bundle, const teeny_session_options &options,
                            teeny_session **result) {
  DeviceOptions wanted;
  wanted.name = options.device ? options.device : "";
  wanted.target = options.target ? options.target : "";
  wanted.threads = options.threads;
  wanted.graphs = options.no_graphs == 0;
  Result<std::unique_ptr<Device>> device = makeDevice(bundle->file->manifest(), wanted);
  if (!device)
    return device.error();
  auto session = std::make_unique<teeny_session>();
  session->device = (*device)->describe();
  Result<std::unique_ptr<Session>> created =
      Session::create(bundle->file, std::move(*device), wanted.target);
  if (!created)
    return created.error();
  session->session = std::move(*created);
  *result = session.release();
  return {};
}

static Result<size_t> findOutput(const Session &session, const char *name) {
  const std::vector<ManifestTensor> &outputs = session.manifest().outputs;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].name == name)
      return i;
  return Error{ErrorCode::notFound, "the bundle has no output '" + std::string(name) + "'"};
}

static Status requirePrepared(const Session &session) {
  if (session.prepared())
    return {};
  return Error{ErrorCode::invalid, "the session is not prepared: call teeny_prepare or teeny_run "
                                   "after binding tensors"};
}

static Status requireRun(const Session &session) {
  if (session.ran())
    return {};
  return Error{ErrorCode::invalid, "there has been no successful run since tensors were bound"};
}

static Status requireRunOrLaunch(const Session &session) {
  return session.launchedKernel() ? Status() : requireRun(session);
}

extern "C" {

teeny_status teeny_session_create(const teeny_bundle *bundle, const teeny_session_options *options,
                                  teeny_session **session) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    TEENY_REQUIRE(session);
    Result<teeny_session_options> known = readOptions(options);
    if (!known)
      return known.error();
    return createSession(bundle, *known, session);
  });
}

void teeny_session_destroy(teeny_session *session) { delete session; }

const char *teeny_session_device(const teeny_session *session) { return session->device.c_str(); }

teeny_status teeny_prepare(teeny_session *session) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    return session->session->prepare();
  });
}

teeny_status teeny_get_dim_value(const teeny_session *session, const char *name, int64_t *value) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(name);
    TEENY_REQUIRE(value);
    if (Status status = requirePrepared(*session->session); !status)
      return status;
    const std::vector<ManifestDim> &dims = session->session->manifest().dims;
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i].name == name) {
        *value = session->session->plan().dims[i];
        return {};
      }
    return Error{ErrorCode::notFound, "the bundle has no dim '" + std::string(name) + "'"};
  });
}

teeny_status teeny_get_output_tensor(const teeny_session *session, const char *name,
                                     teeny_tensor *tensor) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(name);
    TEENY_REQUIRE(tensor);
    Result<size_t> index = findOutput(*session->session, name);
    if (!index)
      return index.error();
    if (Status status = requirePrepared(*session->session); !status)
      return status;
    const Plan &plan = session->session->plan();
    const std::vector<int64_t> &shape = plan.outputShapes[*index];
    Place place = session->session->outputPlace(*index);
    bool empty = plan.bytesOf(session->session->manifest().outputs[*index]) == 0;
    *tensor = {empty ? nullptr : reinterpret_cast<void *>(place.address),
               toC(session->session->manifest().outputs[*index].dtype),
               place.host ? TEENY_HOST : TEENY_DEVICE,
               shape.size(),
               shape.data(),
               nullptr};
    return {};
  });
}

static teeny_status run(teeny_session *session, bool onStream, void *stream) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    return session->session->run({session->timing, onStream, stream});
  });
}

teeny_status teeny_run(teeny_session *session) { return run(session, false, nullptr); }

teeny_status teeny_run_on_stream(teeny_session *session, void *stream) {
  return run(session, true, stream);
}

teeny_status teeny_read_output(teeny_session *session, const char *name, void *data, size_t size) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(name);
    Result<size_t> index = findOutput(*session->session, name);
    if (!index)
      return index.error();
    if (Status status = requireRun(*session->session); !status)
      return status;
    const Session &inner = *session->session;
    size_t expected = inner.plan().bytesOf(inner.manifest().outputs[*index]);
    if (size != expected)
      return Error{ErrorCode::invalid, "output '" + std::string(name) + "' has " +
                                           std::to_string(expected) + " bytes, not " +
                                           std::to_string(size)};
    if (size != 0)
      TEENY_REQUIRE(data);
    return session->session->readOutput(*index, data);
  });
}

teeny_status teeny_set_timings(teeny_session *session, teeny_timings timings) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    switch (timings) {
    case TEENY_TIMINGS_NONE:
      session->timing = Timing::none;
      return {};
    case TEENY_TIMINGS_RUN:
      session->timing = Timing::run;
      return {};
    case TEENY_TIMINGS_LAUNCHES:
      session->timing = Timing::launches;
      return {};
    }
    return Error{ErrorCode::invalid,
                 "there are no timings " + std::to_string(static_cast<int>(timings))};
  });
}

teeny_status teeny_get_statistics(teeny_session *session, teeny_run_statistics *statistics) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(statistics);
    Session &inner = *session->session;
    if (Status status = requireRunOrLaunch(inner); !status)
      return status;
    Result<RunTimes> times = inner.times();
    if (!times)
      return times.error();
    DeviceCounters counters = inner.counters();
    *statistics = {times->total,       inner.launches(),    times->usedGraph,
                   inner.copiedIn(),   inner.copiedOut(),   inner.arenaBytes(),
                   inner.paramBytes(), counters.graphsMade, counters.graphUpdates};
    return {};
  });
}

teeny_status teeny_get_launch(teeny_session *session, size_t index, teeny_launch_info *info) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(session);
    TEENY_REQUIRE(info);
    Session &inner = *session->session;
    if (Status status = requireRunOrLaunch(inner); !status)
      return status;
    if (index >= inner.launches())
      return Error{ErrorCode::notFound, "there is no launch " + std::to_string(index) +
                                            ": the last run had " +
                                            std::to_string(inner.launches())};
    Result<RunTimes> times = inner.times();
    if (!times)
      return times.error();
    Session::LaunchRecord record = inner.launchRecord(index);
    const char *kernel = inner.manifest().kernels[record.kernel].name.c_str();
    const ManifestLaunch *launch =
        record.launch ? &inner.manifest().launches[*record.launch] : nullptr;
    *info = {launch ? launch->name.c_str() : kernel,
             launch ? launch->node.c_str() : "",
             kernel,
             record.code->target.c_str(),
             {record.grid[0], record.grid[1], record.grid[2]},
             index < times->launches.size() ? times->launches[index] : 0.0};
    return {};
  });
}

} // extern "C"
