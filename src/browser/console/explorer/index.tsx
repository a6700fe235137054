import '../world/world.css'
import './explorer.css'
import { useState } from 'preact/hooks'
import { Select, TextField } from '../kit/fields.tsx'
import { Show, useLoaded } from '../kit/load.tsx'
import { go, href, path, query, setQuery } from '../kit/router.ts'
import {
  type ApiDocument,
  type Described,
  DOCUMENTS,
  type DocumentName,
  readDocument,
  renamedWords,
} from './document.ts'
import { OperationPane } from './operation.tsx'

const isDocument = (name: string | undefined): name is DocumentName => name !== undefined && name in DOCUMENTS

/** Every operation of both interfaces, with a form. */
export function ExplorerPage() {
  const [, given, id] = path.value
  const name = isDocument(given) ? given : 'v2'
  const naming = query.value.get('naming') === 'legacy' ? 'legacy' : 'neutral'
  const loaded = useLoaded(async () => {
    const [document, neutral, legacy] = await Promise.all([
      readDocument(name, naming),
      readDocument('v2', 'neutral'),
      readDocument('v2', 'legacy'),
    ])
    return { document, words: renamedWords(neutral, legacy) }
  }, [name, naming])
  const filters: Record<string, string> = naming === 'legacy' ? { naming } : {}
  return (
    <>
      <div class="bar">
        <h1>Explorer</h1>
        <Select
          label="Interface"
          name="document"
          value={name}
          options={[
            ['v2', 'Version 2'],
            ['ads', 'Advertising'],
          ]}
          onValue={(value) => go(href('explorer', value, filters))}
        />
        <Select
          label="Naming"
          name="naming"
          value={naming}
          options={['neutral', 'legacy']}
          onValue={(value) => setQuery('naming', value === 'legacy' ? value : '')}
        />
      </div>
      <Show loaded={loaded}>
        {({ document, words }) => {
          const operation = document.operations.find((item) => item.id === id)
          return (
            <div class={`explorer ${operation ? 'chosen' : ''}`}>
              <Operations document={document} name={name} current={id} filters={filters} />
              {operation ? (
                <div>
                  <p class="back">
                    <a href={href('explorer', name, filters)}>All operations</a>
                  </p>
                  <OperationPane
                    key={`${name} ${naming} ${operation.id}`}
                    document={document}
                    operation={operation}
                    words={words}
                  />
                </div>
              ) : (
                <p class="empty">Choose an operation.</p>
              )}
            </div>
          )
        }}
      </Show>
    </>
  )
}

function Operations(props: {
  document: ApiDocument
  name: DocumentName
  current: string | undefined
  filters: Record<string, string>
}) {
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/)
  const fits = (item: Described) => {
    const text = `${item.id} ${item.method} ${item.path} ${item.summary} ${item.tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const found = props.document.operations.filter(fits)
  const tags = [...new Set(found.map((item) => item.tag))]
  return (
    <nav class="operations" aria-label="Operations">
      <TextField
        label={`Find one of ${props.document.operations.length} operations`}
        name="operation"
        type="search"
        isFilter
        value={search}
        onValue={setSearch}
      />
      {found.length === 0 && <p class="soft">No operation fits.</p>}
      {tags.map((tag) => (
        <section key={tag}>
          <h2>{tag}</h2>
          <ul>
            {found
              .filter((item) => item.tag === tag)
              .map((item) => (
                <li key={item.id}>
                  <a
                    href={href('explorer', props.name, item.id, props.filters)}
                    aria-current={item.id === props.current ? 'page' : undefined}
                  >
                    <span class="mono">{item.method}</span> {item.summary || item.id}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
