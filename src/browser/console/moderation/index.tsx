export function ModerationPage() {
  return <h1>Moderation</h1>
}
