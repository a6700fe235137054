export function TimePage() {
  return <h1>Time and state</h1>
}
