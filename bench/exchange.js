// `rostra export` and `rostra import` of a seeded world and of one ten times as large: rows per second and peak memory, as ratios.
// The memory of the process must not follow the number of posts.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './processes.js'

const SIZES = (process.argv[2] ?? '20000,200000').split(',').map(Number)
const FORMATS = (process.argv[3] ?? 'jsonl,csv,parquet').split(',')
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
// Prints the peak memory of the process when it ends, in MB.
const peak = `data:text/javascript,process.on('exit',()=>process.stderr.write('\\npeak '+Math.round(process.resourceUsage().maxRSS/1024)+'\\n'))`

function rostra(...args) {
  const started = performance.now()
  const command = `"${process.execPath}" --import "${peak}" "${path.join(root, 'bin', 'rostra.js')}" ${args.map((arg) => `"${arg}"`).join(' ')} --json 2>&1`
  const text = execFileSync('sh', ['-c', command], {
    env: { ...process.env, ROSTRA_WORLD: 'empty' },
    maxBuffer: 2 ** 28,
  })
  const seconds = (performance.now() - started) / 1000
  return { seconds, megabytes: Number(/^peak (\d+)$/m.exec(text.toString())[1]) }
}

const figures = new Map()
function note(size, what, { seconds, megabytes }, rows) {
  figures.set(`${size} ${what}`, { rate: rows / seconds, megabytes })
  console.log(`${size} posts, ${what}: ${Math.round(rows / seconds)} rows/s, peak ${megabytes} MB`)
}

for (const size of SIZES) {
  const { folder, remove } = temporaryFolder()
  try {
    const data = path.join(folder, 'data')
    rostra('seed', '--users', '1000', '--posts', String(size), '--until', '2026-01-01', '--data-dir', data)
    for (const format of FORMATS) {
      const out = path.join(folder, format)
      const written = rostra('export', '--format', format, '--out', out, '--data-dir', data)
      const { files } = JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8'))
      const rows = files.reduce((sum, file) => sum + file.rows, 0)
      note(size, `export ${format}`, written, rows)
      const target = path.join(folder, 'target')
      note(size, `import ${format}`, rostra('import', out, '--data-dir', target), rows)
      rmSync(target, { recursive: true })
    }
  } finally {
    remove()
  }
}

const [small, large] = SIZES
for (const format of FORMATS)
  for (const what of [`export ${format}`, `import ${format}`]) {
    const [first, second] = [figures.get(`${small} ${what}`), figures.get(`${large} ${what}`)]
    if (first && second)
      console.log(
        `${what}: ${large / small} times the posts: ${(second.megabytes / first.megabytes).toFixed(2)} times the memory, ${(second.rate / first.rate).toFixed(2)} times the rows/s`,
      )
  }
