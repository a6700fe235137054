/** Values of one thing, one for each day or hour. */
export interface Series {
  name: string
  values: number[]
}

const WIDTH = 720
const HEIGHT = 208
const LEFT = 84
const TOP = 14
const BOTTOM = 38

/** A round number that is at least as large. */
function ceilingOf(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value)!
}

/** A bar for each day or hour, with a part for each series. */
export function Bars(props: {
  label: string
  days: string[]
  series: Series[]
  write: (value: number) => string
  writeAxis: (value: number) => string
  /** What stands below a bar; the month and the day unless given. */
  writeDay?: (day: string) => string
}) {
  const { days, series, write, writeDay = (day: string) => day.slice(5) } = props
  const sums = days.map((_, at) => series.reduce((sum, item) => sum + item.values[at]!, 0))
  const top = ceilingOf(Math.max(...sums))
  const step = (WIDTH - LEFT) / days.length
  const scale = (value: number) => (value / top) * (HEIGHT - TOP - BOTTOM)
  const every = Math.ceil(days.length / 5)
  const bars = days.flatMap((day, at) => {
    let base = HEIGHT - BOTTOM
    return series.flatMap((item, index) => {
      const height = scale(item.values[at]!)
      if (height === 0) return []
      base -= height
      return (
        <rect
          key={`${day} ${item.name}`}
          class={`shade${index}`}
          x={LEFT + at * step + step * 0.15}
          y={base}
          width={step * 0.7}
          height={Math.max(height, 1)}
        >
          <title>{`${day} ${item.name}: ${write(item.values[at]!)}`}</title>
        </rect>
      )
    })
  })
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${props.label}. The table below has the sums.`}
    >
      {[0, 0.5, 1].map((part) => (
        <g key={part}>
          <line
            x1={LEFT}
            x2={WIDTH}
            y1={HEIGHT - BOTTOM - scale(part * top)}
            y2={HEIGHT - BOTTOM - scale(part * top)}
          />
          <text class="label" x={LEFT - 6} y={HEIGHT - BOTTOM - scale(part * top) + 4} text-anchor="end">
            {props.writeAxis(part * top)}
          </text>
        </g>
      ))}
      {bars}
      {days.map(
        (day, at) =>
          at % every === 0 && (
            <text key={day} class="label" x={LEFT + at * step + step / 2} y={HEIGHT - 6} text-anchor="middle">
              {writeDay(day)}
            </text>
          ),
      )}
    </svg>
  )
}
