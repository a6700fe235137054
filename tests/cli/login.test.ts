import { expect, test } from 'vitest'
import { browserCommand } from '../../src/cli/developers/login-command.ts'

test('login opens the browser that BROWSER names, else that of the system', () => {
  const address = 'http://localhost/authorize?a=$&b'
  expect(browserCommand(address, 'linux')).toEqual(['xdg-open', address])
  expect(browserCommand(address, 'darwin', '')).toEqual(['open', address])
  expect(browserCommand(address, 'linux', 'firefox')).toEqual(['firefox', address])
  expect(browserCommand(address, 'linux', 'chromium --app=%s:firefox')).toEqual(['chromium', `--app=${address}`])
  expect(browserCommand(address, 'win32', 'C:\\edge.exe;other')).toEqual(['C:\\edge.exe', address])
})
