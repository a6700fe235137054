// The order matters: most browsers also name the ones they are compatible with.
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bCriOS\/|Chrome\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const wordOf = (table: [RegExp, string][], text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** A browser in words that its owner recognises, such as "Firefox on Linux". Empty where nothing is known. */
export function agentWords(userAgent: unknown): string {
  const text = typeof userAgent === 'string' ? userAgent.slice(0, 500) : ''
  const [browser, system] = [wordOf(BROWSERS, text), wordOf(SYSTEMS, text)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? ''
}
