import { href } from './router.ts'

/** The parts of a page, each with an address of its own. */
export function Tabs(props: {
  label: string
  page: string
  current: string
  tabs: [part: string, title: string][]
  query?: Record<string, string | undefined>
}) {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(([part, title]) => (
        <a
          key={part}
          href={href(...[props.page, part].filter((name) => name !== ''), props.query ?? {})}
          aria-current={part === props.current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
