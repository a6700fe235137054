// Builds dist/ when it is older than the sources: compiles src/ to dist/modules/, joins the modules into few files, since a
// process spends longer on finding and reading 900 files than on running them, and copies what is not code.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { dist, filesBelow, isStale, root, src, stamp } from './stale.js'

/**
 * Builds if needed. Throws with the compiler's output when the sources do not compile. The build is made in a folder of its
 * own and then renamed, so two starts at once never load half of it.
 */
export function buildIfNeeded() {
  if (!existsSync(src) || !isStale()) return
  removeAbandoned()
  const making = path.join(root, `dist-${process.pid}`)
  try {
    compile(making)
    replace(making)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

// What processes are started with, and what scripts import.
const ENTRIES = ['main', 'app', 'start/worker', 'world/seed-thread', 'front/inside-namespace']

// What other programs import, with types: the `exports` of package.json.
const TYPED_ENTRIES = ['testing/rostra', 'testing/testing', 'testing/vitest', 'testing/vitest-setup']

function compile(target) {
  const modules = path.join(target, 'modules')
  runCompiler('tsconfig.json', modules)
  declare(modules, target)
  for (const file of filesBelow(src)) {
    if (!/\.(sql|css|svg|json|cjs|py|rb|php|ini)$/.test(file) || isBundled(file)) continue
    for (const folder of [modules, target]) {
      const copy = path.join(folder, path.relative(src, file))
      mkdirSync(path.dirname(copy), { recursive: true })
      cpSync(file, copy)
    }
  }
  bundle(modules, target)
  bundleForBrowsers(target)
  writeHelp(target)
  writeFileSync(path.join(target, path.basename(stamp)), '')
}

function runCompiler(project, outDir) {
  const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const run = spawnSync(process.execPath, [tsc, '-p', path.join(root, project), '--outDir', outDir], {
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(`The sources do not compile:\n${run.stdout}${run.stderr}`)
}

/** Adds the declarations of the entries with types, and of what they import. */
function declare(modules, target) {
  runCompiler('tsconfig.declarations.json', modules)
  const wanted = TYPED_ENTRIES.map((name) => `${name}.d.ts`)
  for (const name of wanted) {
    if (!name.startsWith('testing/')) throw new Error(`Published declarations lead to ${name}, which is internal.`)
    const text = readFileSync(path.join(modules, name), 'utf8').replace(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2')
    for (const [, file] of text.matchAll(/from ['"](\.[^'"]+)\.js['"]/g)) {
      const imported = path.posix.join(path.posix.dirname(name), `${file}.d.ts`)
      if (!wanted.includes(imported)) wanted.push(imported)
    }
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
    writeFileSync(path.join(target, name), text)
  }
}

/** Joins the modules. Packages stay outside, except the schema library: it alone has hundreds of files. */
function bundle(modules, target) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const packages = Object.keys({ ...dependencies, ...optionalDependencies })
  const { outputFiles } = buildSync({
    entryPoints: Object.fromEntries(
      [...ENTRIES, ...TYPED_ENTRIES].map((name) => [name, path.join(modules, `${name}.js`)]),
    ),
    outdir: target,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [...packages, 'vitest'].flatMap((name) => [name, `${name}/*`]),
    legalComments: 'inline',
    logLevel: 'silent',
  })
  for (const { path: file, text } of outputFiles) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  cpSync(path.join(root, 'node_modules/@sinclair/typebox/license'), path.join(target, 'typebox-license.txt'))
}

const browser = path.join(src, 'browser')

// Style sheets of browsers become part of a bundle. The server reads only the tokens.
const isBundled = (file) => file.startsWith(browser + path.sep) && path.basename(file) !== 'tokens.css'

/** Makes the scripts and style sheets of the console and of people's pages: one file of each. */
function bundleForBrowsers(target) {
  buildSync({
    entryPoints: {
      console: path.join(browser, 'console/main.tsx'),
      pages: path.join(browser, 'pages/main.ts'),
    },
    outdir: path.join(target, 'browser'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
  })
}

/** Writes the list of commands, which the command line then prints without loading them. */
function writeHelp(target) {
  const script = 'import(process.argv[1]).then(async ({ makeHelp }) => process.stdout.write(await makeHelp()))'
  const main = pathToFileURL(path.join(target, 'main.js')).href
  const run = spawnSync(process.execPath, ['-e', script, main], { encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`The list of commands cannot be made:\n${run.stderr}`)
  writeFileSync(path.join(target, 'help.txt'), run.stdout)
}

function replace(made) {
  const old = `${made}-old`
  try {
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(made, dist)
  } catch (error) {
    // Another build of the same sources was faster.
    if (isStale()) throw error
  } finally {
    rmSync(old, { recursive: true, force: true })
  }
}

/** Removes what killed builds left. */
function removeAbandoned() {
  for (const name of readdirSync(root)) {
    const [, pid] = /^dist-(\d+)(?:-old)?$/.exec(name) ?? []
    if (pid && !isRunning(Number(pid))) rmSync(path.join(root, name), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    buildIfNeeded()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
