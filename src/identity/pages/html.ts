/**
 * HTML text. The tagged template `html` escapes every value, except other `html` values and text that was marked with `raw`.
 * Attribute values must be quoted in the template.
 */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c)
}

function render(part: HtmlValue): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(render).join('')
  return escapeHtml(String(part))
}

export function html(strings: TemplateStringsArray, ...parts: HtmlValue[]): Html {
  let out = strings[0] ?? ''
  parts.forEach((part, i) => {
    out += render(part) + (strings[i + 1] ?? '')
  })
  return new Html(out)
}

/** Our own text that is already HTML. Never use it for anything that came from outside. */
export function raw(text: string): Html {
  return new Html(text)
}
