// The program under test: it writes a post, and tries again while the server is not available.
export async function publish({ url, token }, text, tries = 3) {
  for (let left = tries - 1; ; left--) {
    const answer = await fetch(`${url}/2/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    if (answer.ok) return (await answer.json()).data.id
    if (answer.status !== 503 || left === 0) throw new Error(`The post was not written: ${answer.status}`)
  }
}
