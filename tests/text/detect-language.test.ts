import { describe, expect, test } from 'vitest'
import { detectLanguage } from '../../src/social/text/detect-language.ts'
import { findEntities } from '../../src/social/text/find-entities.ts'

function languageOf(text: string): Promise<string> {
  return detectLanguage(text, findEntities(text))
}

describe('the language of a text', () => {
  test.each([
    ['en', 'Just shipped the new release, let me know what breaks'],
    ['en', 'Server is back up, sorry for the trouble'],
    ['de', 'Hat jemand Lust auf Kaffee heute Nachmittag?'],
    ['fr', 'Je ne comprends pas pourquoi le train est encore en retard'],
    ['es', 'No puedo creer que ya sea viernes'],
    ['pt', 'Alguém sabe que horas começa o show amanhã?'],
    ['it', 'Non ci posso credere, che partita pazzesca'],
    ['nl', 'De trein heeft alweer een half uur vertraging'],
    ['tr', 'Bu maçı kazanmamız gerekiyordu ama olmadı'],
    ['pl', 'Czy ktoś wie, o której zaczyna się koncert?'],
    ['sv', 'Är det någon som vet när tåget går?'],
    ['in', 'Ada yang tahu jam berapa konsernya dimulai?'],
    ['ru', 'Кто-нибудь знает, когда починят сервер?'],
    ['uk', 'Хто знає, коли почнеться концерт?'],
    ['ar', 'هل يعرف أحد متى يبدأ الحفل؟'],
    ['fa', 'صبح بخیر دوستان، امروز هوا خیلی خوب است'],
    ['hi', 'सुप्रभात दोस्तों, आज मौसम बहुत अच्छा है'],
  ])('is detected from its words: %s', async (language, text) => {
    expect(await languageOf(text)).toBe(language)
  })

  test.each([
    ['ja', 'はい'],
    ['ja', '新しいバージョンを公開しました'],
    ['zh', '今天天气真好，我们出去走走吧'],
    ['ko', '좋네요'],
    ['th', 'สวัสดี'],
    ['el', 'Καλημέρα'],
    ['iw', 'שלום'],
    ['ka', 'გამარჯობა'],
    ['ta', 'வணக்கம்'],
  ])('is detected from its script, however short: %s', async (language, text) => {
    expect(await languageOf(text)).toBe(language)
  })

  test('is that of most of its words', async () => {
    expect(await languageOf('I really love eating ラーメン in the winter')).toBe('en')
    expect(await languageOf('新しいiPhoneを買いました')).toBe('ja')
  })

  test('ignores entities', async () => {
    expect(await languageOf('@guten #morgen https://example.com/der-die-das good morning everyone')).toBe('en')
  })

  test.each([
    ['zxx', ''],
    ['zxx', 'https://example.com/a https://example.com/b'],
    ['qam', '@alice @bob'],
    ['qht', '#one #two https://example.com'],
    ['qct', '$AAPL $GOOG'],
    ['und', '@alice #one'],
    ['und', '😀 123 !!!'],
    ['und', 'asdfghjkl qwerty zxcv'],
    ['qst', 'lol'],
    ['qst', 'ok ok'],
  ])('of a text without enough words is %s', async (language, text) => {
    expect(await languageOf(text)).toBe(language)
  })
})
