/** The state of a delivery. */
export function State(props: { state: string }) {
  const tone = props.state === 'delivered' ? 'good' : props.state === 'given_up' ? 'bad' : ''
  return <span class={`badge ${tone}`}>{props.state.replace('_', ' ')}</span>
}
