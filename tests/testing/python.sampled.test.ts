import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { buildProgram, removeFolder, temporaryFolder } from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'
import { until } from '../support/until.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PACKAGE = path.join(ROOT, 'clients/python')
const MINUTES = 60_000
// Another runtime, which is not on every machine: `npm run test:rest` runs these.
const isWanted = inject('sampling').cases !== 'some' && process.platform === 'linux'
const python = process.env.ROSTRA_TEST_PYTHON ?? 'python3'
const outside = Object.entries(process.env).filter(([name]) => !/^(VITEST|ROSTRA_|TEST$|NODE_ENV$)/.test(name))
const env = {
  ...Object.fromEntries(outside),
  // The package is used where it is, whether or not it is installed.
  PYTHONPATH: PACKAGE,
  PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
  PYTHONDONTWRITEBYTECODE: '1',
}

function has(name: string): boolean {
  if (!isWanted) return false
  if (spawnSync(python, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0) return true
  process.stderr.write(`\n!! ${python} HAS NO ${name}: ITS TESTS ARE SKIPPED.\n\n`)
  return false
}
const hasPytest = has('pytest')
if (isWanted) buildProgram()

// Without a cache: the folder belongs to the sources.
const PYTEST = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'rostra.pytest_plugin']
const runPython = (program: string, args: string[]) => spawnSync(program, args, { cwd: PACKAGE, env, encoding: 'utf8' })

const folders: string[] = []
afterAll(() => folders.forEach(removeFolder))

describe.runIf(hasPytest)('the Python package', { timeout: 3 * MINUTES }, () => {
  test('starts a server, controls it and ends it', () => {
    const { status, stdout, stderr } = runPython(python, [...PYTEST, 'tests/test_control.py'])
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/17 passed/)
  })

  test.runIf(hasPytest && has('xdist'))('gives each worker of xdist a world', () => {
    const { status, stdout, stderr } = runPython(python, [
      ...PYTEST,
      '-p',
      'xdist.plugin',
      '-n',
      '2',
      'tests/test_control.py',
    ])
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/17 passed/)
  })

  test.runIf(hasPytest && has('tweepy'))('controls the server that tweepy reaches through rostra exec', () => {
    const exec = [path.join(ROOT, 'bin/rostra.js'), 'exec', '--fresh', '--', python, ...PYTEST, 'tests/test_tweepy.py']
    const { status, stdout, stderr } = runPython(process.execPath, exec)
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/4 passed/)
  })

  test('leaves nothing running when pytest is killed', async () => {
    const folder = temporaryFolder()
    folders.push(folder)
    const fact = path.join(folder, 'running.json')
    const text = `
import json, os, time
def test_waits(rostra):
    with open(${JSON.stringify(`${fact}.new`)}, "w") as file:
        json.dump({"url": rostra.url, "data": rostra.data_dir}, file)
    os.rename(${JSON.stringify(`${fact}.new`)}, ${JSON.stringify(fact)})
    time.sleep(100)
`
    writeFileSync(path.join(folder, 'test_waits.py'), text)
    const runner = spawn(python, [...PYTEST, folder], { cwd: PACKAGE, env, stdio: 'ignore' })
    await until(() => existsSync(fact), MINUTES)
    const { url, data } = JSON.parse(readFileSync(fact, 'utf8')) as { url: string; data: string }
    expect(processesOn(data).length).toBeGreaterThan(0)
    runner.kill('SIGKILL')
    await until(() => processesOn(data).length === 0 && !existsSync(data))
    await expect(fetch(`${url}/health`)).rejects.toThrow()
  })
})
