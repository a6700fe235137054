import './pages.css'
import { sendInPlace } from './send-in-place.ts'

document.addEventListener('submit', (event) => {
  const form = event.target
  if (form instanceof HTMLFormElement && form.dataset.action) sendInPlace(event, form)
})
