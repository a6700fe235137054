export function AdvertisingPage() {
  return <h1>Advertising</h1>
}
