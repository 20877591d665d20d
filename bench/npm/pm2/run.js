// Drives pm2 by its API. It reads one JSON request a line and answers with one:
//
//   {"run": ["true"]}                →  {"code": 0}, when pm2 has said that it ended
//   {"start": ["sleep", "9"], "n": 3} →  {}
//   {"kill": true}                   →  {}, when pm2 says that all that was started is stopped
//   {"daemon": true}                 →  {"pid": 7}
const { promisify } = require("util");
const fs = require("fs");
const pm2 = require("pm2");
const readline = require("readline");
const does = Object.fromEntries(["connect", "start", "delete", "killDaemon", "launchBus"].map((name) => [name, promisify(pm2[name].bind(pm2))]));

let bus;
let names = 0;
let started = [];

// begin starts copies of a program under a name of their own.
async function begin(name, [script, ...args], instances) {
  await does.start({
    name, script, args, instances, interpreter: "none", exec_mode: "fork", autorestart: false, merge_logs: true, kill_timeout: 1, treekill: true,
    output: process.env.PM2_HOME + "/out", error: process.env.PM2_HOME + "/err",
  });
}

// run leaves what has ended in pm2's list.
async function run(argv) {
  const name = `job${names++}`;
  const ended = new Promise((done) => {
    bus.on("process:event", function heard(e) {
      if (e.event !== "exit" || e.process.name !== name) return;
      bus.off("process:event", heard);
      done({ code: e.process.exit_code });
    });
  });
  await begin(name, argv, 1);
  return ended;
}

async function answer(request) {
  if (request.run) return run(request.run);
  if (request.start) {
    started.push(`job${names++}`);
    await begin(started.at(-1), request.start, request.n);
    return {};
  }
  if (request.kill) {
    for (const name of started) await does.delete(name);
    started = [];
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
