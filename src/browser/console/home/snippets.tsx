import { useState } from 'preact/hooks'
import type { Snippet } from '../../../start/snippets-endpoint.ts'
import { get } from '../kit/client.ts'
import { Code } from '../kit/copy.tsx'
import { Show, useLoaded } from '../kit/load.tsx'

/** What to paste into a shell, by client. */
export function Snippets() {
  const loaded = useLoaded(() => get<{ snippets: Snippet[] }>('/_rostra/snippets'))
  const [chosen, setChosen] = useState(0)
  return (
    <section class="card">
      <h2>Call it from your program</h2>
      <Show loaded={loaded}>
        {({ snippets }) => (
          <>
            <div class="choices" role="group" aria-label="Client">
              {snippets.map((snippet, index) => (
                <button
                  key={snippet.client}
                  type="button"
                  class="button small"
                  aria-pressed={index === chosen}
                  onClick={() => setChosen(index)}
                >
                  {snippet.client}
                </button>
              ))}
            </div>
            <p class="small soft">{snippets[chosen]!.about}</p>
            <Code text={snippets[chosen]!.text} what={`example for ${snippets[chosen]!.client}`} />
          </>
        )}
      </Show>
    </section>
  )
}
