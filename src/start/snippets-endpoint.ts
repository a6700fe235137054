import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Endpoint } from '../api-kit/declaring/endpoint.ts'
import { jsonAnswer } from '../api-kit/writing/answer.ts'
import { controlEndpoint } from '../control/endpoints.ts'
import { EXAMPLE_WORDS } from '../legacy-words.ts'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import type { Settings } from '../settings.ts'

/** What to paste into a shell of this machine to call this server with a client. It has no secrets. */
export interface Snippet {
  client: string
  about: string
  text: string
}

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

function readSnippets({ dataDir }: Settings): Snippet[] {
  const words: Record<string, string> = {
    ...EXAMPLE_WORDS,
    // By its path: it need not be installed for this shell.
    rostra: `node ${quoted(path.join(PROGRAM_FOLDER, '../bin/rostra.js'))}`,
    at: `--data-dir ${quoted(dataDir)}`,
  }
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole)
  const file = path.join(PROGRAM_FOLDER, 'start', 'snippets.json')
  const declared = JSON.parse(readFileSync(file, 'utf8')) as { client: string; about: string; lines: string[] }[]
  return declared.map(({ client, about, lines }) => ({
    client: fill(client),
    about: fill(about),
    text: fill(lines.join('\n')),
  }))
}

/** Examples for each client that run as they are pasted. */
export const snippetsEndpoint = (settings: Settings): Endpoint =>
  controlEndpoint('controlSnippets', 'GET /_rostra/snippets', async () =>
    jsonAnswer({ snippets: readSnippets(settings) }),
  )
