import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  accessLevelSentences,
  consentPage,
  deniedPage,
  messagePage,
  pinPage,
  SIGN_IN_FAILED,
  STYLE_HASH,
  scopeSentences,
  signInPage,
} from '../src/identity/pages/index.ts'

const SCOPES = (
  'post.read post.write post.moderate.write users.read users.email follows.read follows.write offline.access ' +
  'space.read mute.read mute.write like.read like.write list.read list.write block.read block.write bookmark.read ' +
  'bookmark.write dm.read dm.write media.write timeline.read broadcast.read broadcast.write'
).split(' ')

/** Every page, in every form that it has, with each text of its model passed through `say`, and each address too. */
function everyPage(say: (text: string) => string, address: (url: string) => string = say): Record<string, string> {
  const form = {
    action: address('/post/here'),
    csrf: say('csrf-value'),
    hidden: { [say('hidden-name')]: say('hidden-value') },
  }
  const consent = {
    ...form,
    app: {
      name: say('App'),
      description: say('What it is'),
      websiteUrl: address('https://app.example/'),
      ownerUsername: say('owner'),
      callbackHost: say('app.example'),
    },
    user: { name: say('Name'), username: say('user'), imageUrl: address('https://server.example/face.png') },
    can: [say('One thing.'), say('Another thing.')],
    cannot: [say('A third thing.')],
    keepsAccess: true,
    signOutAction: address('/sign-out'),
  }
  const message = {
    title: say('Title'),
    paragraphs: [say('First.'), say('Second.')],
    links: [{ href: address('https://server.example/help'), text: say('Help') }],
    details: [{ name: say('Detail'), value: say('Value') }],
  }
  return {
    signIn: signInPage({ ...form, purpose: 'session' }),
    signInForApp: signInPage({
      ...form,
      purpose: 'authorize',
      appName: say('App'),
      cancelUrl: address('https://app.example/cb'),
    }),
    signInAgain: signInPage({ ...form, purpose: 'authorize', username: say('user'), error: say('Not right.') }),
    consent: consentPage(consent),
    consentWithPin: consentPage({ ...consent, app: { name: say('App'), callbackHost: null }, keepsAccess: false }),
    consentToAll: consentPage({ ...consent, ...scopeSentences([...SCOPES, say('unknown')]) }),
    pin: pinPage({ appName: say('App'), pin: say('1234567') }),
    denied: deniedPage({ appName: say('App'), returnUrl: address('https://app.example/cb') }),
    deniedWithoutReturn: deniedPage({ appName: say('App') }),
    refusal: messagePage({ ...message, tone: 'error' }),
    explanation: messagePage({ ...message, tone: 'info' }),
    bare: messagePage({ title: say('Title'), paragraphs: [], tone: 'error' }),
  }
}

const plain = everyPage((text) => text)
const each = Object.entries(plain)

type Tag = { name: string; attributes: Record<string, string> }

function withoutStyle(page: string): string {
  return page.replace(/<style>[\s\S]*?<\/style>/, '')
}

function tags(page: string): Tag[] {
  return [...withoutStyle(page).matchAll(/<(\/?[a-z!][a-z0-9]*)((?:\s+[^\s=<>"']+(?:="[^"]*")?)*)\s*\/?>/gi)].map(
    (m) => ({
      name: m[1]!,
      attributes: Object.fromEntries([...m[2]!.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)].map((a) => [a[1]!, a[2] ?? ''])),
    }),
  )
}

function skeleton(page: string): string[] {
  return tags(page).map((tag) => `${tag.name} ${Object.keys(tag.attributes).join(' ')}`)
}

function links(page: string): string[] {
  return tags(page).flatMap((tag) => (tag.attributes.href === undefined ? [] : [tag.attributes.href]))
}

describe('what comes from outside', () => {
  const NASTY = `<script>"'&`
  const nasty = everyPage(
    (text) => text + NASTY,
    (url) => url + NASTY,
  )

  test.each(Object.keys(plain))('adds no tag and no attribute to the page: %s', (page) => {
    expect(skeleton(nasty[page]!)).toEqual(skeleton(plain[page]!))
  })

  test.each(Object.keys(plain))('is escaped everywhere: %s', (page) => {
    const text = withoutStyle(nasty[page]!)
    expect(text).not.toMatch(/<script/i)
    expect(text).not.toContain(NASTY)
    expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/)
    const outsideTags = text.replace(/<\/?[a-z!][^<>]*>/gi, '')
    expect(outsideTags).not.toMatch(/[<>"']/)
    expect(text).toContain('&lt;script&gt;&quot;&#39;&amp;')
  })

  test('every value of the model does reach the page', () => {
    const seen = new Set<string>()
    const pages = everyPage((text) => {
      seen.add(`[${text}]`)
      return `[${text}]`
    }, String)
    const all = Object.values(pages).join('')
    for (const value of seen) if (value !== '[1234567]') expect(all).toContain(value)
    expect(plain.pin).toContain('<code>1234567</code>')
  })

  test('a name cannot turn the direction of the text around it', () => {
    const page = deniedPage({ appName: '\u202eevil' })
    expect(page).toContain('<bdi>\u202eevil</bdi>')
  })

  test('a hidden field cannot replace a field of the page', () => {
    const hidden = { decision: 'approve', csrf: 'forged', username: 'x', password: 'y', state: 'kept' }
    const page = consentPage({
      action: '/a',
      csrf: 'real',
      hidden,
      app: { name: 'App', callbackHost: null },
      user: { name: 'N', username: 'n' },
      can: [],
      cannot: [],
      keepsAccess: false,
      signOutAction: '/b',
    })
    const inputs = tags(page).filter((tag) => tag.name === 'input')
    expect(inputs.map((tag) => [tag.attributes.name, tag.attributes.value])).toEqual([
      ['csrf', 'real'],
      ['state', 'kept'],
      ['csrf', 'real'],
      ['state', 'kept'],
    ])
  })
})

describe('addresses', () => {
  const NEVER = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'javascript://app.example/%0aalert(1)',
    'data:text/html,<b>x</b>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example/1',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '/\t/elsewhere.example/',
    'not an address',
  ]

  test.each(NEVER)('%j never becomes a link', (url) => {
    const pages = [
      consentPage({
        action: '/a',
        csrf: 'c',
        hidden: {},
        app: { name: 'App', websiteUrl: url, callbackHost: null },
        user: { name: 'N', username: 'n', imageUrl: url },
        can: [],
        cannot: [],
        keepsAccess: false,
        signOutAction: '/b',
      }),
      signInPage({ action: '/a', csrf: 'c', hidden: {}, purpose: 'authorize', cancelUrl: url }),
      deniedPage({ appName: 'App', returnUrl: url }),
      messagePage({ title: 'T', paragraphs: [], tone: 'info', links: [{ href: url, text: 'Help' }] }),
    ]
    for (const page of pages) {
      expect(links(page)).toEqual([])
      expect(page).not.toContain('<img')
    }
    expect(pages[3]).toContain('<li>Help</li>')
  })

  test('an app may be returned to by its own scheme, but a website or a help link must be on the web', () => {
    const url = 'myapp://done?denied=1'
    expect(links(deniedPage({ appName: 'App', returnUrl: url }))).toEqual([url])
    expect(
      links(signInPage({ action: '/a', csrf: 'c', hidden: {}, purpose: 'authorize', cancelUrl: 'com.app.x:/cb' })),
    ).toEqual(['com.app.x:/cb'])
    expect(links(messagePage({ title: 'T', paragraphs: [], tone: 'info', links: [{ href: url, text: 'x' }] }))).toEqual(
      [],
    )
  })

  test('a path on this server may become a link', () => {
    const page = messagePage({ title: 'T', paragraphs: [], tone: 'info', links: [{ href: '/2/problems', text: 'x' }] })
    expect(links(page)).toEqual(['/2/problems'])
  })

  test('a form that would post to a script is a mistake in the program', () => {
    expect(() => signInPage({ action: 'javascript:x', csrf: '', hidden: {}, purpose: 'session' })).toThrow(TypeError)
  })

  test('the website of an app is named by the host that the browser will open', () => {
    const page = consentPage({
      action: '/a',
      csrf: 'c',
      hidden: {},
      app: { name: 'App', websiteUrl: 'https://bank.example@\u0435vil.example/x', callbackHost: null },
      user: { name: 'N', username: 'n' },
      can: [],
      cannot: [],
      keepsAccess: false,
      signOutAction: '/b',
    })
    expect(page).toMatch(/>xn--[a-z0-9-]+\.example<\/a>/)
  })
})

describe('every page', () => {
  test.each(each)('has no script, no handler, no style of its own and loads nothing but a face: %s', (_, page) => {
    expect(page).not.toMatch(/<script/i)
    for (const tag of tags(page)) {
      expect(Object.keys(tag.attributes).filter((name) => /^on|^style$/i.test(name))).toEqual([])
      expect(['link', 'iframe', 'object', 'embed', 'base']).not.toContain(tag.name)
      if (tag.attributes.src !== undefined) expect(tag.name).toBe('img')
    }
    expect(page).not.toMatch(/url\(|@import/)
  })

  test.each(each)('carries exactly the style that the hash allows: %s', (_, page) => {
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)]
    expect(styles).toHaveLength(1)
    expect(`sha256-${createHash('sha256').update(styles[0]![1]!).digest('base64')}`).toBe(STYLE_HASH)
  })

  test.each(each)('names its language, title and viewport, and has one heading of the first rank: %s', (_, page) => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page).toMatch(/<title>[^<]+ · Rostra<\/title>/)
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(page.match(/<h1>/g)).toHaveLength(1)
  })

  test.each(each)('binds a label to every input, and describes things only by what is there: %s', (_, page) => {
    const all = tags(page)
    const ids = all.flatMap((tag) => (tag.attributes.id === undefined ? [] : [tag.attributes.id]))
    expect(new Set(ids).size).toBe(ids.length)
    const labelled = all.filter((tag) => tag.name === 'label').map((tag) => tag.attributes.for)
    const inputs = all.filter((tag) => tag.name === 'input' && tag.attributes.type !== 'hidden')
    expect(labelled).toEqual(inputs.map((tag) => tag.attributes.id))
    for (const tag of all)
      for (const name of ['aria-describedby', 'aria-labelledby', 'for'])
        if (tag.attributes[name] !== undefined) expect(ids).toContain(tag.attributes[name])
  })

  test('reads well: text has a contrast of 4.5 and edges one of 3, in both schemes', () => {
    const style = plain.pin!.match(/<style>([\s\S]*?)<\/style>/)![1]!
    const [light, dark] = [...style.matchAll(/:root\{([^}]*)\}/g)].map((m) =>
      Object.fromEntries([...m[1]!.matchAll(/--([a-z-]+):(#[0-9a-f]{6})/g)].map((c) => [c[1]!, c[2]!])),
    )
    for (const colours of [light!, dark!]) {
      const of = (a: string, b: string) => contrast(colours[a]!, colours[b]!)
      for (const ground of ['card', 'ground', 'inset'])
        for (const text of ['ink', 'soft', 'accent', 'accent-over'])
          expect(of(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      for (const [text, ground] of [
        ['on-accent', 'accent'],
        ['on-accent', 'accent-over'],
        ['bad', 'bad-ground'],
        ['ink', 'bad-ground'],
      ])
        expect(of(text!, ground!), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      for (const edge of ['edge', 'accent', 'bad', 'good'])
        expect(of(edge, 'card'), `${edge} on card`).toBeGreaterThanOrEqual(3)
    }
  })
})

describe('signing in', () => {
  const form = { action: '/s', csrf: 'c', hidden: {}, purpose: 'authorize' as const }

  test('a password manager finds both fields', () => {
    expect(plain.signIn).toContain('autocomplete="username"')
    expect(plain.signIn).toContain('autocomplete="current-password"')
  })

  test('an error is announced, is tied to both fields and shows in the title', () => {
    const page = signInPage({ ...form, error: SIGN_IN_FAILED, username: 'livia' })
    expect(page).toMatch(/id="error" role="alert"/)
    const inputs = tags(page).filter((tag) => tag.name === 'input' && tag.attributes.type !== 'hidden')
    expect(inputs.map((tag) => tag.attributes['aria-describedby'])).toEqual(['error', 'error'])
    expect(page).toContain('<title>Error: Sign in')
  })

  test('the password is never filled in, the username is', () => {
    const page = signInPage({ ...form, username: 'livia' })
    expect(page).toMatch(/<input id="username"[^>]* value="livia"/)
    expect(page).not.toMatch(/<input id="password"[^>]* value=/)
  })

  test('the page has a link to cancel, or says that closing it is enough', () => {
    expect(plain.signInForApp).toContain('<a class="button" href="https://app.example/cb">Cancel</a>')
    expect(signInPage(form)).toContain('close this page')
  })
})

describe('consent', () => {
  test('the user may approve or deny', () => {
    const buttons = tags(plain.consent!).filter((tag) => tag.attributes.name === 'decision')
    expect(buttons.map((tag) => [tag.name, tag.attributes.type, tag.attributes.value])).toEqual([
      ['button', 'submit', 'approve'],
      ['button', 'submit', 'deny'],
    ])
    expect(plain.consent).toContain('>Cancel</button>')
  })

  test('the page says how long access lasts and where the user goes next', () => {
    expect(plain.consent).toContain('lasts until you revoke it')
    expect(plain.consent).toContain('<bdi>app.example</bdi> next')
    expect(plain.consentWithPin).toContain('ends after a short time')
    expect(plain.consentWithPin).toContain('you get a PIN')
  })

  test('signing in as someone else is a form of its own, with the guard against forgery', () => {
    expect(plain.consent).toMatch(/<form method="post" action="\/sign-out">\n<input type="hidden" name="csrf"/)
  })
})

describe('what a permission means in words', () => {
  test.each(SCOPES)('%s has a sentence of its own', (scope) => {
    const { can } = scopeSentences([scope])
    expect(can).toHaveLength(1)
    expect(can[0]).toMatch(/^[A-Z].*\.$/)
    expect(can[0]).not.toContain(scope)
  })

  test('no two scopes share a sentence, and one asked for twice is said once', () => {
    expect(new Set(scopeSentences(SCOPES).can).size).toBe(SCOPES.length)
    expect(scopeSentences(['post.read', 'post.read']).can).toHaveLength(1)
  })

  test('what is not asked for is named, and nothing that is asked for', () => {
    const { cannot } = scopeSentences(['post.read', 'users.read'])
    expect(cannot.join(' ')).toMatch(/Post or repost.*direct messages.*follow, mute or block.*Like.*email.*password/)
    expect(scopeSentences(SCOPES).cannot).toEqual(['See or change your password.'])
    expect(scopeSentences(['dm.read']).cannot).toContain('Send direct messages in your name.')
    expect(scopeSentences(['mute.write']).cannot).toContain('Change who you follow or block.')
  })

  test('a scope without words is shown by its name, and then the page promises nothing beyond the password', () => {
    const { can, cannot } = scopeSentences(['constructor', 'post.read'])
    expect(can[1]).toContain('“constructor”')
    expect(cannot).toEqual(['See or change your password.'])
  })

  test('each access level can do more and is kept from less', () => {
    const read = accessLevelSentences('read')
    const write = accessLevelSentences('read-write')
    const messages = accessLevelSentences('read-write-messages')
    expect(read.cannot).toContain('Read or send direct messages.')
    expect(write.cannot).toContain('Read or send direct messages.')
    expect(messages.cannot.join(' ')).not.toContain('messages')
    expect(read.can.length).toBeLessThan(write.can.length)
    expect(write.can.length).toBeLessThan(messages.can.length)
    expect(read.can.join(' ')).not.toContain('in your name')
  })
})

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high! + 0.05) / (low! + 0.05)
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const c = Number.parseInt(colour.slice(i, i + 2), 16) / 255
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}
