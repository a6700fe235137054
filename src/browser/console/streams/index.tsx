export function StreamsPage() {
  return <h1>Streams</h1>
}
