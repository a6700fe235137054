/** Television markets; each has one locale. */
export const TV_MARKETS = [
  { name: 'France', country_code: 'FR', locale: 'fr-FR' },
  { name: 'Chile', country_code: 'CL', locale: 'es-CL' },
  { name: 'Germany', country_code: 'DE', locale: 'de-DE' },
  { name: 'Netherlands', country_code: 'NL', locale: 'nl-NL' },
  { name: 'United States', country_code: 'US', locale: 'en-US' },
  { name: 'Venezuela', country_code: 'VE', locale: 'es-VE' },
  { name: 'Brazil', country_code: 'BR', locale: 'pt-BR' },
  { name: 'Mexico', country_code: 'MX', locale: 'es-MX' },
  { name: 'Colombia', country_code: 'CO', locale: 'es-CO' },
  { name: 'United Kingdom', country_code: 'GB', locale: 'en-GB' },
  { name: 'Argentina', country_code: 'AR', locale: 'es-AR' },
  { name: 'Japan', country_code: 'JP', locale: 'ja-JP' },
  { name: 'Canada', country_code: 'CA', locale: 'en-CA' },
  { name: 'Spain', country_code: 'ES', locale: 'es-ES' },
  { name: 'Italy', country_code: 'IT', locale: 'it-IT' },
  { name: 'United States - Hispanic', country_code: 'US', locale: 'es-US' },
  { name: 'Ireland', country_code: 'IE', locale: 'en-IE' },
] as const

const ENGLISH = 'en-US en-GB en-CA en-IE'
const SPANISH = 'es-MX es-US es-CO es-AR es-CL es-VE'

/** Shows by the markets where they are broadcast, with their genre and names. */
export const TV_SHOWS: { locales: string; genre: string; names: string }[] = [
  {
    locales: ENGLISH,
    genre: 'Comedy',
    names:
      'Abbott Elementary|Friends|The Big Bang Theory|The Simpsons|South Park|Young Sheldon|The Office|Brooklyn Nine-Nine',
  },
  {
    locales: ENGLISH,
    genre: 'Drama',
    names:
      'Grey’s Anatomy|House of the Dragon|Succession|The Last of Us|The Walking Dead|Yellowstone|The White Lotus|The Good Doctor',
  },
  {
    locales: 'en-US en-CA',
    genre: 'Reality',
    names:
      'American Idol|Survivor|The Bachelor|The Voice|Dancing with the Stars|The Amazing Race|RuPaul’s Drag Race|Shark Tank',
  },
  {
    locales: 'en-US en-CA',
    genre: 'Talk',
    names:
      'Saturday Night Live|The Daily Show|The Late Show|The Tonight Show|Jimmy Kimmel Live|Last Week Tonight|The View|Good Morning America',
  },
  {
    locales: 'en-US',
    genre: 'Sports',
    names:
      'Monday Night Football|Sunday Night Football|Thursday Night Football|NBA on TNT|College GameDay|SportsCenter|WWE Raw|WWE SmackDown',
  },
  {
    locales: 'en-US',
    genre: 'Crime',
    names:
      'Law & Order|Law & Order: Special Victims Unit|NCIS|FBI|Criminal Minds|Chicago P.D.|Chicago Fire|Blue Bloods|The Rookie|9-1-1',
  },
  {
    locales: 'en-US',
    genre: 'Game show',
    names: 'Jeopardy!|Wheel of Fortune|Family Feud|The Price Is Right|The Masked Singer',
  },
  {
    locales: 'en-US',
    genre: 'News',
    names: '60 Minutes|Meet the Press|Face the Nation|World News Tonight|NBC Nightly News',
  },
  { locales: 'en-CA', genre: 'Drama', names: 'Heartland|Murdoch Mysteries|Hudson & Rex|Hockey Night in Canada' },
  { locales: 'en-GB en-IE', genre: 'Soap', names: 'Coronation Street|EastEnders|Emmerdale|Hollyoaks' },
  {
    locales: 'en-GB en-IE',
    genre: 'Reality',
    names:
      'Love Island|Strictly Come Dancing|The Great British Bake Off|I’m a Celebrity|Britain’s Got Talent|Gogglebox|The Traitors|Masterchef|The Apprentice|Big Brother',
  },
  {
    locales: 'en-GB en-IE',
    genre: 'Drama',
    names: 'Doctor Who|Line of Duty|Peaky Blinders|Call the Midwife|Vera|Silent Witness',
  },
  {
    locales: 'en-GB',
    genre: 'Talk',
    names: 'The Graham Norton Show|Question Time|Match of the Day|Have I Got News for You|This Morning',
  },
  { locales: 'en-IE', genre: 'Talk', names: 'The Late Late Show|Prime Time|The Sunday Game|Fair City|Room to Improve' },
  { locales: 'de-DE', genre: 'Crime', names: 'Tatort|Polizeiruf 110|Die Rosenheim-Cops|SOKO Leipzig' },
  {
    locales: 'de-DE',
    genre: 'Reality',
    names:
      'Germany’s Next Topmodel|Let’s Dance|Ich bin ein Star|Der Bachelor|The Masked Singer Germany|Die Höhle der Löwen|Bauer sucht Frau',
  },
  {
    locales: 'de-DE',
    genre: 'Talk',
    names:
      'Anne Will|Hart aber fair|Maybrit Illner|Markus Lanz|heute-show|Gute Zeiten, schlechte Zeiten|Sportschau|Wetten, dass..?',
  },
  {
    locales: 'fr-FR',
    genre: 'Reality',
    names: 'Koh-Lanta|Top Chef|The Voice France|Danse avec les stars|L’amour est dans le pré|Star Academy|Mask Singer',
  },
  {
    locales: 'fr-FR',
    genre: 'Talk',
    names:
      'Quotidien|C à vous|On n’est pas couché|N’oubliez pas les paroles|Plus belle la vie|Demain nous appartient|Téléfoot|Fort Boyard',
  },
  {
    locales: 'nl-NL',
    genre: 'Reality',
    names:
      'Boer zoekt Vrouw|Heel Holland Bakt|Wie is de Mol?|Expeditie Robinson|The Voice of Holland|Goede Tijden, Slechte Tijden|Vandaag Inside|Jinek|Studio Sport',
  },
  {
    locales: 'it-IT',
    genre: 'Reality',
    names:
      'Amici|Grande Fratello|L’isola dei famosi|X Factor Italia|MasterChef Italia|Ballando con le stelle|Temptation Island|Uomini e donne',
  },
  {
    locales: 'it-IT',
    genre: 'Drama',
    names:
      'Don Matteo|Il commissario Montalbano|Un posto al sole|Doc|Che tempo che fa|Le Iene|Striscia la notizia|Domenica In|Festival di Sanremo',
  },
  {
    locales: 'es-ES',
    genre: 'Reality',
    names:
      'Operación Triunfo|MasterChef España|Supervivientes|Gran Hermano|La isla de las tentaciones|Tu cara me suena|Pasapalabra',
  },
  {
    locales: 'es-ES',
    genre: 'Talk',
    names:
      'El Hormiguero|La Revuelta|El Intermedio|Informe Semanal|Cuéntame cómo pasó|La que se avecina|El Chiringuito',
  },
  {
    locales: SPANISH,
    genre: 'Telenovela',
    names:
      'La Rosa de Guadalupe|Yo soy Betty, la fea|El señor de los cielos|Café con aroma de mujer|Pasión de gavilanes|La reina del sur',
  },
  {
    locales: SPANISH,
    genre: 'Reality',
    names:
      'La Casa de los Famosos|Exatlón|MasterChef Celebrity|La Voz|Caso cerrado|Nuestra Belleza Latina|Despierta América|Hoy',
  },
  {
    locales: 'pt-BR',
    genre: 'Telenovela',
    names: 'Pantanal|Avenida Brasil|Vai na Fé|Terra e Paixão|Malhação|Renascer',
  },
  {
    locales: 'pt-BR',
    genre: 'Reality',
    names:
      'Big Brother Brasil|A Fazenda|The Voice Brasil|MasterChef Brasil|Domingão|Caldeirão|Fantástico|Jornal Nacional|Altas Horas',
  },
  {
    locales: 'ja-JP',
    genre: 'Variety',
    names:
      'アメトーーク!|水曜日のダウンタウン|世界の果てまでイッテQ!|月曜から夜ふかし|ロンドンハーツ|笑点|しゃべくり007|マツコの知らない世界',
  },
  {
    locales: 'ja-JP',
    genre: 'Drama',
    names:
      '大河ドラマ|連続テレビ小説|相棒|孤独のグルメ|ドクターX|名探偵コナン|サザエさん|ちびまる子ちゃん|NHK紅白歌合戦|ワンピース',
  },
]
