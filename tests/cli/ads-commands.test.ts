import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sign } from '../support/sign.ts'
import { call } from './call-main.ts'
import { type RunningProgram, startProgram } from './running-program.ts'

const EVERYWHERE = ['--data-dir', '--database-url', '--secret-key', '--json', '--help']
const COMMANDS: Record<string, string[]> = {
  'ads account create': [
    ...['--owner', '--name', '--sandbox', '--timezone', '--business', '--business-name', '--features'],
  ],
  'ads account list': [],
  'ads grant': ['--user', '--permissions'],
  'ads feature': ['--add', '--remove', '--campaign-cap', '--promotable-user'],
  'ads fund': ['--type', '--currency', '--amount', '--shares'],
  'ads merchant': ['--terms'],
  'ads feed runs': [],
  'ads work': [],
  'ads enrol': ['--level', '--allowlists'],
  'ads publisher': ['--countries', '--promotable', '--categories', '--restricted', '--remove'],
}

describe('help', () => {
  test.each(Object.entries(COMMANDS))('%s --help lists exactly its flags', async (name, flags) => {
    const { code, stdout, stderr } = await call([...name.split(' '), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.startsWith(`rostra ${name}`)).toBe(true)
    const found = [...new Set(stdout.match(/(?<![\w-])--[a-z][a-z-]*/g))].sort()
    expect(found).toEqual([...new Set([...flags, ...EVERYWHERE])].sort())
  })

  test('a group by itself shows the help of its commands, at every depth', async () => {
    const all = (await call(['ads'])).stdout
    for (const name of Object.keys(COMMANDS)) expect(all).toContain(`rostra ${name}`)
    const accounts = await call(['ads', 'account', '--help'])
    expect(accounts).toMatchObject({ code: 0, stderr: '' })
    expect(accounts.stdout.match(/^rostra .*/gm)).toEqual([
      'rostra ads account create',
      'rostra ads account list',
      'rostra ads account show <account id>',
    ])
  })

  test.each([
    [
      'an unknown command of the group',
      ['ads', 'spend'],
      'There is no command ads spend. `rostra --help` lists the commands.',
    ],
    [
      'an unknown command below it',
      ['ads', 'account', 'burn', 'now'],
      'There is no command ads account burn. `rostra --help` lists the commands.',
    ],
    ['a missing owner', ['ads', 'account', 'create'], '--owner is missing.'],
    ['a missing account', ['ads', 'fund'], 'Name one account id.'],
    [
      'an amount that is not a number',
      ['ads', 'fund', 'abc', '--amount', 'much'],
      '--amount is "much", but must be a whole number.',
    ],
  ])('%s is refused with one sentence', async (_name, args, words) => {
    expect(await call(args)).toEqual({ code: 1, stdout: '', stderr: `${words}\n` })
  })
})

describe('against a running server', () => {
  let program: RunningProgram
  beforeAll(async () => {
    program = await startProgram(['--workers', '1'])
  })
  afterAll(() => program.stop())

  const run: RunningProgram['run'] = (...args) => program.run(...args)
  const get = async (username: string, resource: string) => {
    const url = `${program.server.baseUrl}/ads/12/${resource}`
    const app = program.server.credentials.apps[0]!
    const user = program.server.credentials.users.find((item) => item.username === username)!
    const authorization = sign('GET', url, {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: user.access_token,
      tokenSecret: user.access_token_secret,
    })
    const answer = await fetch(url, { headers: { authorization } })
    return { status: answer.status, body: JSON.parse(await answer.text()) }
  }

  test('an account is created, funded, shared and given features, and works at once', async () => {
    const made = await run(
      'ads',
      'account',
      'create',
      '--owner',
      'dario',
      '--name',
      'Kitchen',
      '--features',
      'AGE_TARGETING',
    )
    expect(made).toEqual({ id: expect.stringMatching(/^[0-9a-z]+$/), owner: 'dario' })
    const account = `accounts/${made.id}`
    expect((await get('dario', account)).body.data).toMatchObject({ id: made.id, name: 'Kitchen' })
    const funding = await run('ads', 'fund', made.id, '--currency', 'EUR', '--amount', '5000000')
    const [instrument] = (await get('dario', `${account}/funding_instruments`)).body.data
    expect(instrument).toMatchObject({ id: funding.id, currency: 'EUR', credit_limit_local_micro: 5_000_000 })

    expect((await get('bob', account)).status).toBe(403)
    await run('ads', 'grant', made.id, '--user', 'bob', '--permissions', 'CREATIVE_MANAGER,POST_COMPOSER')
    expect((await get('bob', `${account}/authenticated_user_access`)).body.data.permissions).toEqual([
      'CREATIVE_MANAGER',
      'POST_COMPOSER',
    ])
    await run(
      'ads',
      'feature',
      made.id,
      '--add',
      'EVENT_TARGETING',
      '--remove',
      'AGE_TARGETING',
      '--promotable-user',
      'chika',
    )
    expect((await get('dario', `${account}/features`)).body.data).toEqual(['EVENT_TARGETING'])
    expect((await get('dario', `${account}/promotable_users`)).body.data).toHaveLength(2)

    const { accounts } = await run('ads', 'account', 'list')
    expect(accounts.find((item: { id: string }) => item.id === made.id)).toMatchObject({
      name: 'Kitchen',
      sandbox: false,
      users: { dario: ['ACCOUNT_ADMIN', 'POST_COMPOSER'], bob: ['CREATIVE_MANAGER', 'POST_COMPOSER'] },
    })
    const { stdout } = await program.call('ads', 'account', 'list')
    expect(stdout).toMatch(/^id +name +sandbox +timezone +deleted +users +features$/m)
    expect(stdout).toMatch(new RegExp(`^${made.id} +Kitchen +false`, 'm'))
  })

  test('an app gets access and loses it again', async () => {
    const { apps } = await run('app', 'list')
    const app = apps.find((item: { name: string }) => item.name === 'First app').id
    expect(await run('ads', 'enrol', app, '--level', 'none')).toMatchObject({ level: 'none' })
    expect((await get('alice', 'accounts')).status).toBe(403)
    await run('ads', 'enrol', app, '--allowlists', 'account_history,catalogs')
    expect((await get('alice', 'accounts')).status).toBe(200)
  })

  test('a user is made a publisher', async () => {
    await run('ads', 'publisher', 'chika', '--countries', 'JP,US', '--categories', 'se,sp')
    expect((await get('alice', 'publishers')).body.data).toMatchObject([
      { username: 'chika', monetizable_country_codes: ['JP', 'US'], content_category_ids: ['se', 'sp'] },
    ])
  })

  test('a refusal of the server is shown in one sentence', async () => {
    const answer = await program.call('ads', 'grant', 'zzz', '--user', 'bob', '--permissions', 'ANALYST')
    expect(answer).toMatchObject({ code: 1, stdout: '' })
    expect(answer.stderr).toMatch(/account/)
    const composer = await program.call('ads', 'enrol', 'nothing')
    expect(composer.stderr).toMatch(/app/i)
  })
})
