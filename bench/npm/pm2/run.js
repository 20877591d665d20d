// Drives pm2 by its API. It reads one JSON request a line and answers with one:
//
//   {"run": ["true"]}                →  {"code": 0}, when pm2 has said that it ended
//   {"start": ["sleep", "9"], "n": 3} →  {}
//   {"kill": true}                   →  {}, when pm2 says that all are stopped
//   {"daemon": true}                 →  {"pid": 7}
const { promisify } = require("util");
const fs = require("fs");
const pm2 = require("pm2");
const readline = require("readline");
const does = Object.fromEntries(["connect", "start", "delete", "killDaemon", "launchBus"].map((name) => [name, promisify(pm2[name].bind(pm2))]));

let bus;
let known = false;

// begin starts copies of a program under one name.
async function begin([script, ...args], instances) {
  if (known) await does.delete("job");
  known = true;
  return does.start({
    name: "job", script, args, instances, interpreter: "none", exec_mode: "fork", autorestart: false, merge_logs: true, kill_timeout: 1, treekill: true,
    output: process.env.PM2_HOME + "/out", error: process.env.PM2_HOME + "/err",
  });
}

async function run(argv) {
  const ended = new Promise((done) => {
    bus.on("process:event", function heard(e) {
      if (e.event !== "exit" || e.process.name !== "job") return;
      bus.off("process:event", heard);
      done({ code: e.process.exit_code });
    });
  });
  await begin(argv, 1);
  return ended;
}

async function answer(request) {
  if (request.run) return run(request.run);
  if (request.start) {
    await begin(request.start, request.n);
    return {};
  }
  if (request.kill) {
    known = false;
    await does.delete("job");
    return {};
  }
  return { pid: Number(fs.readFileSync(process.env.PM2_HOME + "/pm2.pid", "utf8")) };
}

(async () => {
  await does.connect();
  bus = await does.launchBus();
  // Not before: lines that come while nobody listens are lost.
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      console.log(JSON.stringify(await answer(JSON.parse(line))));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error.message ?? error) }));
    }
  }
  await does.killDaemon();
  process.exit();
})();
