// ../../suite-bench.ts
var cpu = () => {
  const u = process.cpuUsage();
  return (u.user + u.system) / 1e3;
};
var root = "/tmp/wt/suite/src/";
var t0 = cpu();
var { createServer, singletons } = await import(root + "app.ts");
var { createLogger } = await import(root + "process/logger.ts");
var { createLocalBus } = await import(root + "process/process-bus.ts");
var { readSettings } = await import(root + "settings.ts");
var { createRuntime } = await import(root + "start/create-runtime.ts");
var { openDatabase } = await import(root + "storage/database.ts");
console.log("import", Math.round(cpu() - t0));
var N = Number(process.env.N ?? 8);
for (let i = 0; i < N; i++) {
  const t = cpu();
  const settings = readSettings(["--port", "0", "--secret-key", "a".repeat(64)], {});
  const database = openDatabase({ host: "127.0.0.1", port: 1, database: "x", ssl: false }, { connections: 5, name: "tests" });
  const runtime = createRuntime({ settings, database, bus: createLocalBus(), log: createLogger("silent", "tests"), machine: 1, secretKey: "a".repeat(64), singletons });
  const t1 = cpu();
  const server = createServer(runtime, settings);
  const t2 = cpu();
  await server.ready();
  const t3 = cpu();
  console.log("runtime", Math.round(t1 - t), "createServer", Math.round(t2 - t1), "ready", Math.round(t3 - t2));
}
process.exit(0);
