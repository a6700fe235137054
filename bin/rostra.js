#!/usr/bin/env node
// Old syntax on purpose: an old Node must be able to run up to the message below.
var wanted = [20, 19]
var have = process.versions.node.split('.').map(Number)
if (have[0] < wanted[0] || (have[0] === wanted[0] && have[1] < wanted[1])) {
  console.error('Rostra needs Node ' + wanted.join('.') + ' or newer; this is Node ' + process.versions.node + '.')
  process.exit(1)
}
run().catch((error) => {
  console.error(error && error.stack ? error.stack : error)
  process.exit(1)
})

async function run() {
  const { existsSync } = await import('node:fs')
  const build = new URL('../scripts/build.js', import.meta.url)
  // A published package has no build script: its dist/ is ready.
  if (existsSync(build)) {
    try {
      ;(await import(build.href)).buildIfNeeded()
    } catch (error) {
      console.error(error.message)
      process.exit(1)
    }
  }
  const { main } = await import('../dist/main.js')
  await main(process.argv.slice(2))
}
