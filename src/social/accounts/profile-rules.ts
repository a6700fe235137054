// The bounds of what users say about themselves; the control interface has the same.

const MOST = { name: 50, description: 160, location: 150, url: 200, email: 200 } as const

const tooLong = (what: string, text: string, most: number): string | undefined =>
  [...text].length > most ? `${what} has at most ${most} characters.` : undefined

const hasControls = (text: string): boolean => /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)

export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'A name has at least one character.'
  if (hasControls(name)) return 'A name cannot have control characters.'
  return tooLong('A name', name, MOST.name)
}

export const descriptionFault = (text: string): string | undefined => tooLong('A description', text, MOST.description)

export const locationFault = (text: string): string | undefined => tooLong('A location', text, MOST.location)

/** An empty address is none. */
export function webAddressFault(text: string): string | undefined {
  if (text === '') return undefined
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text))
    return 'A web address begins with https:// or http://, and has no spaces.'
  return tooLong('A web address', text, MOST.url)
}

export function emailFault(text: string): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) return 'An e-mail address looks like name@example.org.'
  return tooLong('An e-mail address', text, MOST.email)
}
