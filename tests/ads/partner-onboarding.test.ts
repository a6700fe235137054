import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { type MadeApp, makeApp, person } from '../identity/steps.ts'
import { Browser, formWith, type Page } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let partner: MadeApp
let secret: string
const browsers = new Map<string, Browser>()
beforeAll(async () => {
  server = await startTestServer()
  partner = await makeApp(server, { name: 'Partner' })
  await server.command('ads.enrol', { app: partner.id })
  secret = (await server.command('ads.partner_key.create', { app: partner.id })).secret
})
afterAll(() => server.close())

const CALLBACK = 'https://partner.example/linked?customer=a%20b'

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The signature as the platform documents it, written anew. */
function signatureOf(url: string, values: Record<string, string>, key: string): string {
  const pairs = Object.entries(values)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
  return createHmac('sha1', key)
    .update(`GET&${encode(url)}&${encode(pairs.join('&'))}`)
    .digest('base64')
}

type Values = Record<string, string | undefined>

/** The address to which a partner sends an advertiser. */
function linkAddress(
  username: string,
  over: Values = {},
  { key = secret, path = '/link_managed_account' } = {},
): string {
  const all = {
    callback_url: CALLBACK,
    client_app_id: partner.id,
    promotable_user_id: server.userId(username),
    fi_description: 'Partner credit',
    timezone: 'Europe/Lisbon',
    currency: 'EUR',
    country: 'PT',
    ...over,
  }
  const values = Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const signature = signatureOf(`${server.baseUrl}${path}`, values, key)
  const query = Object.entries({ ...values, signature }).map(([name, value]) => `${name}=${encode(value)}`)
  return `${path}?${query.join('&')}`
}

async function openAs(username: string, address: string): Promise<Page> {
  const known = browsers.get(username)
  if (known) return known.open(address)
  const browser = new Browser(server.baseUrl)
  browsers.set(username, browser)
  return browser.signIn(await browser.open(address), person(server, username))
}

/** What the partner reads in its callback; checks its signature. */
function readBack(page: Page, username: string, key = secret) {
  const url = page.leftFor!
  const { signature, ...values } = Object.fromEntries(url.searchParams) as Record<string, string>
  expect(signature).toBe(signatureOf(`${url.origin}${url.pathname}`, values, `${key}&${server.userId(username)}`))
  expect(values.customer).toBe('a b')
  return { status: values.status, account: values.account_id!, funding: values.funding_instrument_id! }
}

const approve = async (username: string, over: Values = {}, options: { path?: string } = {}) => {
  const page = await openAs(username, linkAddress(username, over, options))
  return readBack(page.leftFor ? page : await browsers.get(username)!.decide(page, 'approve'), username)
}
const fundingOf = async (username: string, account: string, mount = '/ads') =>
  (
    await server.get(
      `${mount}/12/accounts/${account}/funding_instruments?sort_by=created_at-asc`,
      await signer(username),
    )
  ).body.data
const signer = async (username: string) => ({ user: username })

test('an advertiser signs in, sees what happens, and the partner gets account and funding', async () => {
  const signIn = await new Browser(server.baseUrl).open(linkAddress('bob'))
  expect(signIn.text).toContain('Sign in')
  const page = await openAs('bob', linkAddress('bob'))
  expect(page.text).toContain('Let <bdi>Partner</bdi> manage your advertising?')
  expect(page.text).toContain('in the time zone Europe/Lisbon, which pays in EUR')
  expect(page.text).toContain('partner.example')
  const before = await server.command('ads.account.list')

  const linked = readBack(await browsers.get('bob')!.decide(page, 'approve'), 'bob')
  expect(linked.status).toBe('OK')
  expect(before.map(({ id }: { id: string }) => id)).not.toContain(linked.account)
  const account = await server.get(`/ads/12/accounts/${linked.account}`, { user: 'bob' })
  expect(account.body.data).toMatchObject({ timezone: 'Europe/Lisbon', approval_status: 'ACCEPTED' })
  expect(await fundingOf('bob', linked.account)).toMatchObject([
    {
      id: linked.funding,
      type: 'PARTNER_MANAGED',
      description: 'Partner credit',
      currency: 'EUR',
      funded_amount_local_micro: 0,
      entity_status: 'ACTIVE',
    },
  ])

  // The partner lost the answer: it gets the same again, and nobody is asked.
  const again = await openAs('bob', linkAddress('bob', { timezone: undefined, country: undefined }))
  expect(readBack(again, 'bob')).toEqual(linked)
  expect(await fundingOf('bob', linked.account)).toHaveLength(1)
})

test('another partner learns nothing of a linked account before the advertiser lets it', async () => {
  const other = await makeApp(server, { name: 'Rival' })
  await server.command('ads.enrol', { app: other.id })
  const { secret: key } = await server.command('ads.partner_key.create', { app: other.id })
  const address = linkAddress('bob', { client_app_id: other.id, fi_description: undefined }, { key })
  const page = await openAs('bob', address)
  expect(page.leftFor).toBeUndefined()
  expect(page.text).toContain('Let <bdi>Rival</bdi> manage your advertising?')
  const denied = readBack(await browsers.get('bob')!.decide(page, 'deny'), 'bob', key)
  expect(denied).toEqual({ status: 'ACCOUNT_INELIGIBLE', account: '', funding: '' })
  const asked = await openAs('bob', address)
  const linked = readBack(await browsers.get('bob')!.decide(asked, 'approve'), 'bob', key)
  expect(linked.status).toBe('OK')
  expect(readBack(await openAs('bob', address), 'bob', key)).toEqual(linked)
  // The first partner is still linked.
  expect(readBack(await openAs('bob', linkAddress('bob')), 'bob')).toEqual(linked)
})

test('another name makes another instrument and pauses the one before; a known name changes nothing', async () => {
  const first = await approve('chika', { fi_description: 'Spring' })
  const second = await approve('chika', { fi_description: 'Summer', currency: undefined })
  expect(second).toMatchObject({ status: 'OK', account: first.account })
  const shown = async () =>
    (await fundingOf('chika', first.account)).map((item: Record<string, string>) => [
      item.id,
      item.description,
      item.entity_status,
      item.currency,
    ])
  const both = [
    [first.funding, 'Spring', 'PAUSED', 'EUR'],
    [second.funding, 'Summer', 'ACTIVE', 'EUR'],
  ]
  expect(await shown()).toEqual(both)
  expect(await approve('chika', { fi_description: 'Spring' })).toEqual(first)
  expect(await shown()).toEqual(both)
  // Without a name it is the newest.
  expect(await approve('chika', { fi_description: undefined })).toEqual(second)
})

test('an existing account of the advertiser is linked, and its other funding stays', async () => {
  const before = (await server.get('/ads/12/accounts', { user: 'alice' })).body.data[0]
  const page = await openAs(
    'alice',
    linkAddress('alice', { timezone: undefined, currency: undefined, country: undefined }),
  )
  expect(page.text).toContain(`Your advertising account “${before.name}” is linked to Partner.`)
  const linked = readBack(await browsers.get('alice')!.decide(page, 'approve'), 'alice')
  expect(linked).toMatchObject({ status: 'OK', account: before.id })
  const others = (await fundingOf('alice', before.id)).filter((item: { id: string }) => item.id !== linked.funding)
  expect(others.every((item: { entity_status: string }) => item.entity_status === 'ACTIVE')).toBe(true)
})

test('in the sandbox the account is one of the sandbox', async () => {
  const path = '/ads-sandbox/link_managed_account'
  const linked = await approve('bob', {}, { path })
  expect(linked.status).toBe('OK')
  expect(await fundingOf('bob', linked.account, '/ads-sandbox')).toHaveLength(1)
  expect((await server.get(`/ads/12/accounts/${linked.account}`, { user: 'bob' })).status).toBe(403)
})

describe('the partner is told why it did not work, and nothing changes', () => {
  test('when somebody else signed in', async () => {
    expect(readBack(await openAs('bob', linkAddress('dario')), 'dario')).toEqual({
      status: 'USER_MISMATCH',
      account: '',
      funding: '',
    })
  })

  test.each<[status: string, over: Values]>([
    ['INVALID_COUNTRY', { country: 'ZZ' }],
    ['INVALID_COUNTRY', { country: undefined }],
    ['INVALID_CURRENCY', { currency: 'XXX' }],
    ['INVALID_CURRENCY', { currency: undefined }],
    ['INVALID_TIMEZONE', { timezone: 'Mars/Olympus' }],
    ['INVALID_TIMEZONE', { timezone: undefined }],
  ])('with %s: %j', async (status, over) => {
    expect(await approve('dario', over)).toEqual({ status, account: '', funding: '' })
  })

  test('when the advertiser cancels', async () => {
    const page = await openAs('dario', linkAddress('dario'))
    const back = readBack(await browsers.get('dario')!.decide(page, 'deny'), 'dario')
    expect(back).toEqual({ status: 'ACCOUNT_INELIGIBLE', account: '', funding: '' })
    expect((await server.get('/ads/12/accounts', { user: 'dario' })).body.data).toEqual([])
  })

  test('when the platform does not accept the account', async () => {
    const { id } = await server.command('ads.account.create', { owner: 'dario', sandbox: true })
    const text = `update ads_account set approval_status = 'REJECTED' where id = $1`
    await server.runtime.database.query({ text, values: [parseBase36(id)!] })
    const path = '/ads-sandbox/link_managed_account'
    expect(await approve('dario', {}, { path })).toEqual({ status: 'ACCOUNT_INELIGIBLE', account: id, funding: '' })
  })

  test('when there is nothing to pay with', async () => {
    const { id } = await server.command('ads.account.create', { owner: 'dario' })
    expect(await approve('dario', { fi_description: undefined })).toEqual({
      status: 'INCOMPLETE_SERVING_BILLING_INFO',
      account: id,
      funding: '',
    })
  })
})

describe('a page says what is wrong, and the browser stays', () => {
  test.each<[what: string, over: Values]>([
    ['callback_url is missing', { callback_url: undefined }],
    ['callback_url must be an http or https address', { callback_url: 'myapp://linked' }],
    ['callback_url must be an http or https address', { callback_url: 'javascript:alert(1)' }],
    ['callback_url must be an http or https address', { callback_url: `https://a.example/${'x'.repeat(2_000)}` }],
    ['client_app_id must be a 64-bit number', { client_app_id: 'Partner' }],
    ['is not a partner of this server', { client_app_id: '12' }],
    ['promotable_user_id must be a 64-bit number', { promotable_user_id: 'bob' }],
    ['fi_description must be at most 255', { fi_description: 'x'.repeat(256) }],
    ['currency must be three capital letters', { currency: 'eur' }],
    ['country must be two capital letters', { country: 'Portugal' }],
    ['timezone must be at most 100', { timezone: 'x'.repeat(101) }],
    ['colour', { colour: 'red' }],
  ])('%s', async (what, over) => {
    const page = await openAs('bob', linkAddress('bob', over))
    expect([page.status, page.leftFor]).toEqual([400, undefined])
    expect(page.text).toContain(what)
  })

  test('when the signature is not of this address, or of no key', async () => {
    const wrong = [
      linkAddress('bob', {}, { key: 'guessed' }),
      linkAddress('bob').replace('Partner%20credit', 'Other%20credit'),
      linkAddress('bob').replace(/&signature=.*/, ''),
      linkAddress('bob').replace('/link_managed_account', '/ads/link_managed_account'),
    ]
    for (const address of wrong) {
      const page = await openAs('bob', address)
      expect([page.status, page.leftFor]).toEqual([400, undefined])
      expect(page.text).toContain('signature')
    }
  })

  test('when the app lost its access', async () => {
    await server.command('ads.enrol', { app: partner.id, level: 'none' })
    const page = await openAs('bob', linkAddress('bob'))
    await server.command('ads.enrol', { app: partner.id })
    expect(page.text).toContain('is not a partner of this server')
  })

  test('when the form is not from the page', async () => {
    const page = await browsers.get('bob')!.post('/link_managed_account', { query: linkAddress('bob').split('?')[1]! })
    expect(page.status).toBe(403)
  })
})

describe('erin loses nothing', () => {
  const PATH = '/link_managed_account'
  beforeAll(() => openAs('erin', linkAddress('erin')))
  const accounts = async (mount = '/ads') => (await server.get(`${mount}/12/accounts`, { user: 'erin' })).body.data
  const shownForm = async (path = PATH) => formWith(await openAs('erin', linkAddress('erin', {}, { path })), 'decision')
  const refused = async (page: Page, status: number) => {
    expect([page.status, page.leftFor], page.text).toEqual([status, undefined])
    expect(await accounts()).toEqual([])
    expect(await accounts('/ads-sandbox')).toEqual([])
  }

  test.each([
    ['callback_url', 'https://evil.example/'],
    ['client_app_id', '12'],
    ['promotable_user_id', '12'],
    ['fi_description', 'Other credit'],
    ['timezone', 'UTC'],
    ['currency', 'USD'],
    ['country', 'US'],
  ])('when %s is changed, given twice or left out after signing', async (name, value) => {
    const address = linkAddress('erin')
    const given = new RegExp(`([?&])${name}=[^&]*&`)
    const pair = `${name}=${encode(value)}`
    const changes = [
      address.replace(given, `$1${pair}&`),
      address.replace(given, `$1${pair}&${given.exec(address)![0].slice(1)}`),
      `${address}&${pair}`,
      address.replace(given, '$1'),
    ]
    for (const changed of changes) {
      await refused(await openAs('erin', changed), 400)
      const { action, fields } = await shownForm()
      const query = changed.split('?')[1]!
      await refused(await browsers.get('erin')!.post(action, { ...fields, query, decision: 'approve' }), 400)
    }
  })

  test('when a request is signed for the other environment', async () => {
    const { fields } = await shownForm()
    await refused(await browsers.get('erin')!.post(`/ads-sandbox${PATH}`, { ...fields, decision: 'approve' }), 400)
    const dry = await shownForm(`/ads-sandbox${PATH}`)
    await refused(await browsers.get('erin')!.post(PATH, { ...dry.fields, decision: 'approve' }), 400)
  })

  test('when the form is sent by a page of another site, by another browser, or in another session', async () => {
    const { action, fields } = await shownForm()
    const body = new URLSearchParams({ ...fields, decision: 'approve' })
    const cookie = [...browsers.get('erin')!.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const elsewhere: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of elsewhere) {
      const options = { method: 'POST', redirect: 'manual', headers: { ...headers, cookie }, body } as const
      expect((await fetch(server.baseUrl + action, options)).status, JSON.stringify(headers)).toBe(403)
    }
    // bob has a session of his own, and the form of erin.
    await refused(await browsers.get('bob')!.post(action, { ...fields, decision: 'approve' }), 403)
    const stolen = new Browser(server.baseUrl)
    await refused(await stolen.post(action, { ...fields, decision: 'approve' }), 403)
    // In the browser of erin somebody else signs in: they are told that the partner meant another user.
    const shared = new Browser(server.baseUrl)
    const page = await shared.signIn(await shared.open(linkAddress('erin')), person(server, 'erin'))
    shared.cookies.delete('rostra_session')
    await shared.signIn(await shared.open(linkAddress('bob', { fi_description: 'Later' })), person(server, 'bob'))
    expect(readBack(await shared.decide(page, 'approve'), 'erin').status).toBe('USER_MISMATCH')
    expect(await accounts()).toEqual([])
  })

  test('when the answer to a partner is sent as a request', async () => {
    const answer = (await openAs('erin', linkAddress('erin', { country: 'ZZ' }))).leftFor!
    const signature = answer.searchParams.get('signature')!
    await refused(
      await openAs('erin', linkAddress('erin').replace(/signature=.*/, `signature=${encode(signature)}`)),
      400,
    )
  })

  test('when a form is sent again: the partner gets the same, and nothing more is made', async () => {
    const { action, fields } = await shownForm()
    const send = () => browsers.get('erin')!.post(action, { ...fields, decision: 'approve' })
    const answers = (await Promise.all([send(), send(), send()])).map((page) => readBack(page, 'erin'))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await accounts()).toHaveLength(1)
    expect(await fundingOf('erin', answers[0]!.account)).toHaveLength(1)
  })
})

test('several keys are valid until they are deleted, and an answer has the key of its request', async () => {
  const next = await server.command('ads.partner_key.create', { app: partner.id })
  const page = () => openAs('bob', linkAddress('bob', {}, { key: next.secret }))
  expect(readBack(await page(), 'bob', next.secret).status).toBe('OK')
  expect((await approve('bob')).status).toBe('OK')
  const { keys } = await server.command('ads.partner_key.list', { app: partner.id })
  expect(keys.map(({ id }: { id: string }) => id)).toContain(next.id)
  expect(JSON.stringify(keys)).not.toContain(next.secret)
  await server.command('ads.partner_key.delete', { app: partner.id, id: next.id })
  expect((await page()).status).toBe(400)
  expect((await server.tryCommand('ads.partner_key.delete', { app: partner.id, id: next.id })).status).toBe(404)
  for (let made = keys.length - 1; made < 5; made++) await server.command('ads.partner_key.create', { app: partner.id })
  expect((await server.tryCommand('ads.partner_key.create', { app: partner.id })).status).toBe(409)
})
