import './pages.css'
import './public.css'
import './writing.css'
import { composeInPlace, startComposing } from './compose.ts'
import { showArrivals, startLive } from './live.ts'
import { sendInPlace } from './send-in-place.ts'

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (form.dataset.action) sendInPlace(event, form)
  else composeInPlace(event, form)
})
document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element)) return
  if (target.closest('[data-arrivals]')) showArrivals()
  // A menu closes when something else is clicked.
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('.menu[open]'))
    if (!menu.contains(target)) menu.open = false
})
startComposing()
startLive()
