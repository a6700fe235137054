import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { readFormParts } from '../api-kit/reading/form-body.ts'
import { type Browser, isOfSession, isOwnForm } from '../identity/sign-in/browser.ts'

/** A form of one of our pages, with its files. */
export interface SentForm {
  form: Map<string, string>
  files: ReadonlyMap<string, Buffer>
}

const FILE = /^file_/

/** Reads the form that a page sent; undefined when it does not come from a page of ours in this session. */
export async function readSentForm(request: RequestFacts, browser: Browser): Promise<SentForm | undefined> {
  const form = new Map<string, string>()
  const files = new Map<string, Buffer>()
  const parts = (await readFormParts(request.body, String(request.headers['content-type'] ?? ''))) ?? []
  for (const [name, bytes] of parts) {
    const text = FILE.test(name) ? undefined : bytes.toString('utf8')
    // PostgreSQL cannot store U+0000 in text.
    if (text !== undefined && !text.includes('\0')) form.set(name, text)
    // A field without a file is sent as an empty one.
    else if (text === undefined && bytes.length > 0) files.set(name, bytes)
  }
  return isOwnForm(form, browser) && isOfSession(form, browser) ? { form, files } : undefined
}
