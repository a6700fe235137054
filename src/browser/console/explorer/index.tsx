export function ExplorerPage() {
  return <h1>Explorer</h1>
}
