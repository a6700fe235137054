import { type Html, html } from '../../identity/pages/html.ts'

const WIDTH = 420
const HEIGHT = 140
const TOP = 16
const BOTTOM = 20

/** A column for each day, as a picture with a text that says the same. */
export function usagePlot(days: readonly { day: string; used: number }[]): Html {
  const most = Math.max(1, ...days.map((item) => item.used))
  const step = WIDTH / Math.max(1, days.length)
  const room = HEIGHT - TOP - BOTTOM
  const total = days.reduce((sum, item) => sum + item.used, 0)
  const bars = days.map(({ day, used }, index) => {
    const height = Math.round((used / most) * room)
    return html`<rect class="bar" x="${(index * step + step * 0.15).toFixed(1)}" y="${HEIGHT - BOTTOM - height}" width="${(step * 0.7).toFixed(1)}" height="${height}"><title>${day}: ${used}</title></rect>`
  })
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Posts read in the last ${days.length} days: ${total}, at most ${most === 1 && total === 0 ? 0 : most} on a day">
<line class="axis" x1="0" y1="${HEIGHT - BOTTOM}" x2="${WIDTH}" y2="${HEIGHT - BOTTOM}"/>
${bars}
<text x="0" y="11">${total === 0 ? '' : most}</text>
<text x="0" y="${HEIGHT - 5}">${days[0]?.day ?? ''}</text>
<text x="${WIDTH}" y="${HEIGHT - 5}" text-anchor="end">${days.at(-1)?.day ?? ''}</text>
</svg>`
}
