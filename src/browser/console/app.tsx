import { useEffect, useRef } from 'preact/hooks'
import { signedIn } from './kit/client.ts'
import { Confirmation, Dialog } from './kit/dialog.tsx'
import { SHORTCUTS, showsShortcuts } from './kit/keys.ts'
import { liveState } from './kit/live.ts'
import { href, path } from './kit/router.ts'
import { Toasts } from './kit/toast.tsx'
import { PAGES } from './pages.tsx'
import { signInProblem, signOut } from './sign-in.ts'

const LIVE_WORDS = { connecting: 'Connecting', open: 'Live', lost: 'Connection lost, trying again' }

function Logo() {
  return (
    <svg viewBox="4 3 24 26" aria-hidden="true">
      <path fill="currentColor" d="M4 3h6v26H4zM12 3l16 8-16 8zM12 21.200l4.200-2.100L28 29h-7.400z" />
    </svg>
  )
}

function Navigation(props: { current: string }) {
  const pages = useRef<HTMLElement>(null)
  // On a phone the pages are a row that is wider than the screen.
  useEffect(() => {
    pages.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [props.current])
  return (
    <header class="side">
      <a class="brand" href={href()}>
        <Logo />
        <span>Rostra</span>
      </a>
      <nav aria-label="Pages" ref={pages}>
        {PAGES.map((page) => (
          <a
            key={page.path}
            href={page.path === '' ? href() : href(page.path)}
            aria-current={page.path === props.current ? 'page' : undefined}
          >
            {page.title}
          </a>
        ))}
      </nav>
      <div class="foot">
        <p class={`live ${liveState.value}`} role="status">
          {LIVE_WORDS[liveState.value]}
        </p>
        <button type="button" class="button plain" onClick={() => (showsShortcuts.value = true)}>
          Shortcuts
        </button>
        <button type="button" class="button plain" onClick={signOut}>
          Sign out
        </button>
      </div>
    </header>
  )
}

function Shortcuts() {
  if (!showsShortcuts.value) return null
  return (
    <Dialog title="Keyboard shortcuts" close={() => (showsShortcuts.value = false)}>
      <dl class="facts">
        {SHORTCUTS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

function SignedOut() {
  return (
    <main class="alone">
      <p class="brand">
        <Logo />
        <span>Rostra</span>
      </p>
      <h1>Open the console with its link</h1>
      {signInProblem.value && (
        <p class="alert" role="alert">
          {signInProblem.value}
        </p>
      )}
      <p>
        The server prints a link when it starts. <code>rostra console</code> prints a new one, and{' '}
        <code>credentials.json</code> has it as <code>console_url</code>. Each link works once.
      </p>
    </main>
  )
}

export function App() {
  const current = path.value[0] ?? ''
  const page = PAGES.find((item) => item.path === current)
  const title = page?.title ?? 'Not found'
  useEffect(() => {
    document.title = `${title} · Rostra console`
  }, [title])
  if (signedIn.value === undefined) return null
  if (!signedIn.value) return <SignedOut />
  return (
    <>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <Navigation current={current} />
      <main id="page" tabIndex={-1}>
        {page ? (
          <page.Page key={page.path} />
        ) : (
          <>
            <h1>There is no such page</h1>
            <p>
              <a href={href()}>Go to the first page</a>
            </p>
          </>
        )}
      </main>
      <Shortcuts />
      <Confirmation />
      <Toasts />
    </>
  )
}
