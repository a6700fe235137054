// The buttons of posts and users work without a script: then the browser loads the page again.

/** Buttons that undo each other. */
const OPPOSITES: Record<string, string> = {
  like: 'unlike',
  repost: 'unrepost',
  bookmark: 'unbookmark',
  follow: 'unfollow',
  mute: 'unmute',
  block: 'unblock',
}
const UNDOES = Object.fromEntries(Object.entries(OPPOSITES).map(([does, undoes]) => [undoes, does]))

/** What an action answers to a script. */
export interface Done {
  ok: boolean
  message?: string
  /** What the page shows in place of the form. */
  html?: string
}

/** Sends the form of a button and changes the button, instead of loading the page again. */
export function sendInPlace(event: Event, form: HTMLFormElement): void {
  const action = form.dataset.action ?? ''
  const opposite = OPPOSITES[action] ?? UNDOES[action]
  const button = form.querySelector('button')
  if (action === 'vote') voteInPlace(event, form)
  if (!opposite || !button) return
  event.preventDefault()
  if (button.disabled) return
  button.disabled = true
  void send(form)
    .then((done) => {
      if (done.ok) turn(form, button, { isOn: action in OPPOSITES, opposite })
      else say(done.message ?? 'That did not work.')
    })
    .catch(() => say('The server cannot be reached.'))
    .finally(() => {
      button.disabled = false
      button.focus()
    })
}

/** Votes, and shows the results in place of the buttons. */
function voteInPlace(event: Event, form: HTMLFormElement): void {
  const poll = form.closest<HTMLElement>('[data-poll]')
  if (!poll || !(event instanceof SubmitEvent) || poll.getAttribute('aria-busy') === 'true') return
  event.preventDefault()
  poll.setAttribute('aria-busy', 'true')
  void send(form, event.submitter)
    .then((done) => {
      if (!done.ok) return say(done.message ?? 'That did not work.')
      const results = elementsOf(done.html ?? '').firstElementChild
      if (!(results instanceof HTMLElement)) return location.reload()
      results.tabIndex = -1
      poll.replaceWith(results)
      results.focus()
      say('You voted.')
    })
    .catch(() => say('The server cannot be reached.'))
    .finally(() => poll.removeAttribute('aria-busy'))
}

/** The elements of a piece of HTML that our own server wrote. */
export function elementsOf(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

/** Sends a form and reads what became of it. */
async function send(form: HTMLFormElement, submitter?: HTMLElement | null): Promise<Done> {
  const answer = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams([...new FormData(form, submitter)].map(([name, value]) => [name, String(value)])),
  })
  // A session that has ended leads to the sign-in page.
  if (!answer.headers.get('content-type')?.includes('json')) location.reload()
  return (await answer.json()) as Done
}

function turn(
  form: HTMLFormElement,
  button: HTMLButtonElement,
  { isOn, opposite }: { isOn: boolean; opposite: string },
) {
  form.dataset.action = opposite
  form.action = form.action.replace(/[^/]+$/, opposite)
  if (button.hasAttribute('aria-pressed')) button.setAttribute('aria-pressed', String(isOn))
  else if (opposite === 'unfollow' || opposite === 'follow') {
    button.textContent = isOn ? 'Following' : 'Follow'
    button.classList.toggle('first', !isOn)
  } else {
    const words = button.textContent ?? ''
    button.textContent = isOn
      ? `Un${words.charAt(0).toLowerCase()}${words.slice(1)}`
      : words.charAt(2).toUpperCase() + words.slice(3)
    say(isOn ? 'Done.' : 'Undone.')
  }
  const number = button.querySelector<HTMLElement>('.number')
  if (number && /^\d*$/.test(number.textContent ?? '')) {
    const count = Math.max(0, Number(number.textContent) + (isOn ? 1 : -1))
    number.textContent = count === 0 ? '' : String(count)
  }
}

/** Says something in the corner of the page, also to screen readers. */
export function say(text: string): void {
  const toast = document.querySelector('.toast')
  if (!toast) return
  toast.textContent = text
  setTimeout(() => {
    if (toast.textContent === text) toast.textContent = ''
  }, 6_000)
}
