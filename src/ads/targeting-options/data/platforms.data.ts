/** The five platforms; a device or version belongs to the one of its operating system. */
export const PLATFORMS = [
  { value: '0', name: 'Platform_B' },
  { value: '1', name: 'Platform_A' },
  { value: '2', name: 'BlackBerry phones and tablets' },
  { value: '3', name: 'Mobile web on other devices' },
  { value: '4', name: 'Desktop and laptop computers' },
] as const

/** Names of the platforms by language. The names of the first two are the same in all languages. */
export const LOCALIZED_PLATFORMS: Record<string, Record<string, string>> = {
  de: {
    2: 'BlackBerry-Telefone und -Tablets',
    3: 'Mobiles Web auf anderen Geräten',
    4: 'Desktop-Computer und Laptops',
  },
  es: {
    2: 'Teléfonos y tabletas BlackBerry',
    3: 'Web móvil en otros dispositivos',
    4: 'Computadoras de escritorio y portátiles',
  },
  fr: {
    2: 'Téléphones et tablettes BlackBerry',
    3: 'Web mobile sur d’autres appareils',
    4: 'Ordinateurs de bureau et portables',
  },
  it: { 2: 'Telefoni e tablet BlackBerry', 3: 'Web mobile su altri dispositivi', 4: 'Computer desktop e portatili' },
  ja: { 2: 'BlackBerryの携帯電話とタブレット', 3: 'その他の端末のモバイルウェブ', 4: 'デスクトップとノートパソコン' },
  ko: { 2: 'BlackBerry 휴대폰 및 태블릿', 3: '기타 기기의 모바일 웹', 4: '데스크톱 및 노트북 컴퓨터' },
  nl: { 2: 'BlackBerry-telefoons en -tablets', 3: 'Mobiel web op andere apparaten', 4: 'Desktops en laptops' },
  pt: {
    2: 'Telefones e tablets BlackBerry',
    3: 'Web móvel em outros dispositivos',
    4: 'Computadores de mesa e notebooks',
  },
}

/** Names of the genders, by language. */
export const LOCALIZED_GENDERS: Record<string, Record<string, string>> = {
  de: { 1: 'Männlich', 2: 'Weiblich' },
  es: { 1: 'Hombre', 2: 'Mujer' },
  fr: { 1: 'Homme', 2: 'Femme' },
  it: { 1: 'Uomo', 2: 'Donna' },
  ja: { 1: '男性', 2: '女性' },
  ko: { 1: '남성', 2: '여성' },
  nl: { 1: 'Man', 2: 'Vrouw' },
  pt: { 1: 'Masculino', 2: 'Feminino' },
}

/** Versions of the two mobile systems to the point release, with their names where they have one. */
export const PLATFORM_VERSIONS: { os: 'Platform_A' | 'Platform_B'; name?: string; numbers: string }[] = [
  { os: 'Platform_A', name: 'Ice Cream Sandwich', numbers: '4.0 4.0.3' },
  { os: 'Platform_A', name: 'Jelly Bean', numbers: '4.1 4.2 4.3' },
  { os: 'Platform_A', name: 'KitKat', numbers: '4.4' },
  { os: 'Platform_A', name: 'Lollipop', numbers: '5.0 5.1' },
  { os: 'Platform_A', name: 'Marshmallow', numbers: '6.0 6.0.1' },
  { os: 'Platform_A', name: 'Nougat', numbers: '7.0 7.1 7.1.1 7.1.2' },
  { os: 'Platform_A', name: 'Oreo', numbers: '8.0 8.1' },
  { os: 'Platform_A', name: 'Pie', numbers: '9.0' },
  { os: 'Platform_A', numbers: '10.0 11.0 12.0 12.1 13.0 14.0 15.0 16.0' },
  {
    os: 'Platform_B',
    numbers:
      '8.0 8.1 8.2 8.3 8.4 9.0 9.1 9.2 9.3 10.0 10.1 10.2 10.3 11.0 11.1 11.2 11.3 11.4 12.0 12.1 12.2 12.3 12.4 12.5 13.0 13.1 13.2 13.3 13.4 ' +
      '13.5 13.6 13.7 14.0 14.1 14.2 14.3 14.4 14.5 14.6 14.7 14.8 15.0 15.1 15.2 15.3 15.4 15.5 15.6 15.7 15.8 16.0 16.1 16.2 16.3 16.4 16.5 ' +
      '16.6 16.7 17.0 17.1 17.2 17.3 17.4 17.5 17.6 17.7 18.0 18.1 18.2 18.3 18.4 18.5 18.6 26.0 26.1',
  },
]
