import { askArrivals, askMessages } from './live.ts'
import { type Done, say } from './send-in-place.ts'

// Forms that write posts and messages work without a script: then the browser loads a page for each.

const { mount = '', live = '' } = document.body.dataset

/** Sends a form with its files. */
async function sendForm(form: HTMLFormElement): Promise<Done> {
  const answer = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new FormData(form),
  })
  if (!answer.headers.get('content-type')?.includes('json')) location.reload()
  return (await answer.json()) as Done
}

/** Sends a form in place, where the page shows what became of it. */
export function composeInPlace(event: Event, form: HTMLFormElement): void {
  const isPost = 'compose' in form.dataset && live === 'home' && form.closest('[data-home-compose]') !== null
  const isMessage = 'send' in form.dataset && document.querySelector('[data-messages]') !== null
  if (!isPost && !isMessage) return
  event.preventDefault()
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')
  if (!button || button.disabled) return
  button.disabled = true
  void sendForm(form)
    .then(async (done) => {
      if (!done.ok) return say(done.message ?? 'That did not work.')
      form.reset()
      for (const details of form.querySelectorAll('details')) details.open = false
      weigh(form)
      await (isPost ? askArrivals({ isShown: true }) : askMessages())
      if (isPost) say('Posted.')
    })
    .catch(() => say('The server cannot be reached.'))
    .finally(() => {
      button.disabled = false
      form.querySelector('textarea')?.focus()
    })
}

let weighing = 0

/** Shows how much a text weighs. Only the server knows what an address weighs. */
function weigh(form: HTMLFormElement): void {
  const shown = form.querySelector<HTMLElement>('[data-weight]')
  const text = form.querySelector('textarea')?.value ?? ''
  if (!shown) return
  const most = Number(shown.dataset.most)
  const show = (weight: number) => {
    shown.textContent = text === '' ? '' : `${weight} / ${most}`
    shown.classList.toggle('over', weight > most)
  }
  weighing += 1
  const mine = weighing
  // Without a dot there is no address, and ASCII weighs what it counts.
  if (/^[\x20-\x2d\x2f-\x7e\n]*$/.test(text)) {
    show(text.length)
    return
  }
  setTimeout(() => {
    if (mine !== weighing) return
    void fetch(`${mount}/i/weigh`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: text })
      .then((answer) => answer.json() as Promise<{ weight: number }>)
      .then(({ weight }) => {
        if (mine === weighing) show(weight)
      })
      .catch(() => {})
  }, 200)
}

let typedAt = Number.NEGATIVE_INFINITY

/** Tells the others in a conversation that the user is typing, not more often than they need to know it. */
function tellTyping(form: HTMLFormElement): void {
  const conversation = form.querySelector<HTMLInputElement>('input[name=conversation]')?.value
  if (!conversation || performance.now() - typedAt < 3_000) return
  typedAt = performance.now()
  const body = new URLSearchParams({ csrf: document.body.dataset.csrf ?? '', conversation })
  void fetch(`${mount}/i/actions/typing`, { method: 'POST', headers: { accept: 'application/json' }, body }).catch(
    () => {},
  )
}

/** Watches the texts that are typed. */
export function startComposing(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-compose]')) weigh(form)
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || !target.form) return
    if ('compose' in target.form.dataset) weigh(target.form)
    else if ('send' in target.form.dataset) tellTyping(target.form)
  })
  document.addEventListener('keydown', (event) => {
    const { target } = event
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && target instanceof HTMLTextAreaElement)
      target.form?.requestSubmit()
  })
}
