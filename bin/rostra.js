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
  let beforeProduct
  const checks = new URL('../scripts/stale.js', import.meta.url)
  // A published package has no scripts: its dist/ is ready.
  if (existsSync(checks)) {
    const { isStale, isCommandLineStale } = await import(checks.href)
    // A call of a running server needs only the command line, and must not wait for a look at a thousand files.
    const isSmall = process.argv.length > 2 && !['start', 'exec', 'worlds'].includes(process.argv[2])
    if ((isSmall ? isCommandLineStale : isStale)()) await build()
    beforeProduct = async () => {
      if (isSmall && isStale()) await buildAndRunAgain()
    }
  }
  const { main } = await import('../dist/main.js')
  await main(process.argv.slice(2), beforeProduct)
}

async function build() {
  try {
    ;(await import('../scripts/build.js')).buildIfNeeded()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}

// The files that this process has loaded are gone after a build.
async function buildAndRunAgain() {
  await build()
  const { spawnSync } = await import('node:child_process')
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit' })
  process.exit(status === null ? 1 : status)
}
