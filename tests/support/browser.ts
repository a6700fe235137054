/** A page as a person sees it: after the redirects inside the server, with the forms that can be sent from it. */
export interface Page {
  status: number
  headers: Headers
  text: string
  /** Path and query on the server that the page came from. */
  address: string
  /** The other site that the server redirected to; undefined while the browser stays on the server. */
  leftFor: URL | undefined
  forms: Form[]
}

/** A form of a page with its fields. */
export interface Form {
  action: string
  fields: Record<string, string>
  buttons: { name: string; value: string }[]
}

/** A browser without scripts: keeps cookies, follows redirects inside the server, sends forms. */
export class Browser {
  readonly cookies = new Map<string, string>()
  /** Every Set-Cookie line so far. */
  readonly cookieLines: string[] = []
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  open(address: string): Promise<Page> {
    return this.#go('GET', address)
  }

  /** Posts fields as a form of any page would, without looking at a page first. */
  post(address: string, fields: Record<string, string>): Promise<Page> {
    return this.#go('POST', address, fields)
  }

  /** Sends the form that has a field or button of this name. */
  submit(page: Page, having: string, fields: Record<string, string>): Promise<Page> {
    const form = formWith(page, having)
    return this.#go('POST', form.action, { ...form.fields, ...fields })
  }

  signIn(page: Page, user: { username: string; password: string }): Promise<Page> {
    return this.submit(page, 'password', { username: user.username, password: user.password })
  }

  decide(page: Page, decision: 'approve' | 'deny'): Promise<Page> {
    return this.submit(page, 'decision', { decision })
  }

  async #go(method: string, address: string, fields?: Record<string, string>): Promise<Page> {
    const url = new URL(address, this.#baseUrl)
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: cookie === '' ? {} : { cookie },
      body: fields && new URLSearchParams(fields),
    })
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    const text = await answer.text()
    const location = answer.headers.get('location')
    const target = location === null ? undefined : new URL(location, url)
    if (target?.origin === url.origin) return this.#go('GET', target.href)
    const { status, headers } = answer
    return { status, headers, text, address: url.pathname + url.search, leftFor: target, forms: formsOf(text) }
  }

  #keep(line: string): void {
    this.cookieLines.push(line)
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    if (/; *max-age=0(;|$)/i.test(line)) this.cookies.delete(name!)
    else this.cookies.set(name!, value!)
  }
}

/** The form of a page that has a field or button of this name. */
export function formWith(page: Page, name: string): Form {
  const form = page.forms.find((item) => name in item.fields || item.buttons.some((button) => button.name === name))
  if (!form) throw new Error(`no form with ${name} on ${page.address}: ${page.status} ${page.text}`)
  return form
}

function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action, content]) => ({
    action: plain(action!),
    fields: Object.fromEntries(
      tags(content!, 'input')
        // A box that is not ticked is not sent.
        .filter((tag) => attribute(tag, 'type') !== 'checkbox' || / checked\b/.test(tag))
        .map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '']),
    ),
    buttons: tags(content!, 'button').flatMap((tag) => {
      const name = attribute(tag, 'name')
      return name === undefined ? [] : [{ name, value: attribute(tag, 'value') ?? '' }]
    }),
  }))
}

const tags = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'g'))].map(([tag]) => tag)

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : plain(value)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const plain = (html: string) => html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
