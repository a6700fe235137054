/** The status of an answer. */
export function Status(props: { status: number }) {
  const { status } = props
  const tone = status >= 400 || status === 0 ? 'bad' : status >= 300 ? '' : 'good'
  return <span class={`badge ${tone}`}>{status === 0 ? 'cut' : status}</span>
}
