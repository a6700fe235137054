/** What seeded users write in one language. Any opening, deed and ending together make a sentence. */
export interface Vocabulary {
  lang: string
  /** The percentage of users who write in it. */
  share: number
  gap: string
  openings: string[]
  deeds: string[]
  ends: string[]
  remarks: string[]
  answers: string[]
  tags: string[]
  bios: string[]
  firstNames: string[]
  lastNames: string[]
  places: string[]
}

const list = (text: string): string[] => text.split('|')

export const VOCABULARIES: Vocabulary[] = [
  {
    lang: 'en',
    share: 38,
    gap: ' ',
    openings: list(
      'This morning I|Yesterday we|After work I|On the way home I|Before breakfast I|Late last night I|With my brother I|For the first time I|Once again I|On the train I|Between two meetings I|In the rain we',
    ),
    deeds: list(
      'walked along the harbour|read a chapter of an old book|repaired the kitchen lamp|planted tomatoes|wrote a small program|drew a map of the valley|baked a loaf of bread|listened to a new record|found a quiet bakery|cleaned the bicycle|watched the fishing boats|measured the garden|cooked soup for eight|took forty photos',
    ),
    ends: list(
      'and it was worth it.|and nobody noticed.|before the clouds came.|with more luck than skill.|and learned something new.|while the city slept.|until the battery died.|as my grandmother did.|for no reason at all.|and would do it again.|in under an hour.|although the wind was strong.',
    ),
    remarks: list(
      'Tea & toast helped.|More about it tomorrow.|Does anyone else do this?|The details are below.|Highly recommended.|I need a nap now.|Some things are < simple.|What a week!|Notes to follow.|Photos soon.|Small steps.|That is all.',
    ),
    answers: list(
      'I had the same thought.|That is great news!|Where was this?|Thank you for sharing it.|I am not so sure about that.|Count me in.|How long did it take?|This made my day.|Please tell us more.|I tried it and it works.|Interesting, but why?|You are right as always.',
    ),
    tags: list('#morning|#gardening|#books|#cycling|#weather|#cooking|#maps|#music|#photography|#code|#travel|#tea'),
    bios: list(
      'Maps, trains and weather.|Builds small things that last.|Reader of long books.|Writes about food and rivers.|Half engineer, half gardener.|Opinions are borrowed. #books|Teacher of mathematics.|Runs slowly, thinks fast.',
    ),
    firstNames: list('Ada|Ben|Clara|Daniel|Ella|Frank|Grace|Henry|Iris|Jack|Kate|Liam|Maya|Noah|Olive|Peter'),
    lastNames: list(
      'Archer|Baker|Carter|Dean|Ellis|Fisher|Grant|Hughes|Irwin|Jones|Keller|Lewis|Moore|Nash|Owen|Price',
    ),
    places: list('London|New York|Toronto|Dublin|Sydney|Cape Town|Leeds|Austin'),
  },
  {
    lang: 'ja',
    share: 16,
    gap: '',
    openings: list(
      '今朝は|昨日は|仕事のあとに|帰り道で|週末に|久しぶりに|友達と一緒に|雨の中で|電車を待つ間に|はじめて',
    ),
    deeds: list(
      '港のまわりを歩いて|古い本を読んで|自転車を直して|新しい店を見つけて|庭にトマトを植えて|パンを焼いて|写真をたくさん撮って|山の地図を描いて|小さなプログラムを書いて|静かな音楽を聴いて',
    ),
    ends: list(
      'とても楽しかったです。|少し疲れました。|気持ちがよかったです。|また行きたいと思います。|すっかり夜になりました。|新しいことを学びました。|風が強かったです。|大満足でした。',
    ),
    remarks: list(
      '明日も続きます。|おすすめです。|みなさんはどうですか。|写真はまたあとで。|よい一日を。|そろそろ寝ます。',
    ),
    answers: list(
      '私もそう思います。|それはすごいですね。|どこで撮りましたか。|教えてくれてありがとう。|ぜひ参加したいです。|なるほど、勉強になります。|いいですね。|お疲れさまでした。',
    ),
    tags: list('#写真|#自転車|#読書|#料理|#天気|#音楽|#旅行|#プログラミング'),
    bios: list('写真と自転車。|本と珈琲が好きです。|大阪在住。 #料理|ゆっくり走ります。|地図を描く人。'),
    firstNames: list('美咲|健太|さくら|大輔|由美|翔太|葵|直樹|恵子|悠斗'),
    lastNames: list('佐藤|鈴木|高橋|田中|伊藤|渡辺|山本|中村|小林|加藤'),
    places: list('東京|大阪|京都|札幌|福岡|名古屋'),
  },
  {
    lang: 'es',
    share: 14,
    gap: ' ',
    openings: list(
      'Esta mañana|Ayer por la tarde|Después del trabajo|De camino a casa|Con mi hermana|Por primera vez|Bajo la lluvia|Antes del desayuno|El domingo|Sin prisa',
    ),
    deeds: list(
      'caminé por el puerto|leí un libro antiguo|arreglé la bicicleta|planté tomates|cociné una sopa enorme|encontré una panadería tranquila|escribí un programa pequeño|hice cuarenta fotos|dibujé un mapa del valle|escuché un disco nuevo',
    ),
    ends: list(
      'y valió la pena.|y nadie se dio cuenta.|antes de que llegaran las nubes.|con más suerte que habilidad.|y aprendí algo nuevo.|mientras la ciudad dormía.|como hacía mi abuela.|y lo haría otra vez.',
    ),
    remarks: list(
      'Mañana os cuento más.|¿Alguien más lo hace?|Muy recomendable.|¡Qué semana!|Pronto habrá fotos.|Y nada más.',
    ),
    answers: list(
      'Pensé lo mismo que tú.|¡Qué buena noticia!|¿Dónde fue esto?|Gracias por compartirlo.|No estoy tan seguro de eso.|Cuenta conmigo.|¿Cuánto tiempo tardaste?|Tienes razón, como siempre.',
    ),
    tags: list('#música|#cocina|#libros|#lluvia|#jardín|#fotografía|#domingo|#viajes'),
    bios: list(
      'Cocina, libros y trenes.|Profesora de historia.|Escribo poco y leo mucho. #libros|Mitad ingeniero, mitad jardinero.',
    ),
    firstNames: list('Lucía|Mateo|Carmen|Diego|Elena|Javier|Marta|Pablo|Sofía|Raúl'),
    lastNames: list('García|Fernández|López|Martín|Núñez|Ortega|Peña|Ruiz|Santos|Vega'),
    places: list('Madrid|Bogotá|Ciudad de México|Sevilla|Lima|Buenos Aires'),
  },
  {
    lang: 'pt',
    share: 12,
    gap: ' ',
    openings: list(
      'Hoje de manhã|Ontem à tarde|Depois do trabalho|A caminho de casa|Com o meu irmão|Pela primeira vez|Debaixo de chuva|Antes do almoço|No domingo|Sem pressa nenhuma',
    ),
    deeds: list(
      'caminhei junto ao rio|li um livro antigo|consertei a bicicleta|plantei tomates|cozinhei uma sopa enorme|encontrei uma padaria tranquila|escrevi um programa pequeno|tirei quarenta fotos|desenhei um mapa do vale|ouvi um disco novo',
    ),
    ends: list(
      'e valeu a pena.|e ninguém reparou.|antes de chegarem as nuvens.|com mais sorte do que jeito.|e aprendi uma coisa nova.|enquanto a cidade dormia.|como fazia a minha avó.|e faria tudo outra vez.',
    ),
    remarks: list(
      'Amanhã conto mais.|Mais alguém faz isto?|Recomendo muito.|Que semana!|As fotos vêm depois.|É tudo por hoje.',
    ),
    answers: list(
      'Pensei exatamente o mesmo.|Que boa notícia!|Onde foi isso?|Obrigado por partilhar.|Não tenho tanta certeza disso.|Conta comigo.|Quanto tempo demorou?|Tens razão, como sempre.',
    ),
    tags: list('#música|#cozinha|#livros|#chuva|#jardim|#fotografia|#domingo|#viagens'),
    bios: list(
      'Comboios, mapas e café.|Professora de matemática.|Escrevo pouco e leio muito. #livros|Meio engenheiro, meio jardineiro.',
    ),
    firstNames: list('Inês|João|Beatriz|Tiago|Mariana|Rui|Ana|Gonçalo|Leonor|Nuno'),
    lastNames: list('Almeida|Barbosa|Costa|Duarte|Esteves|Ferreira|Gomes|Lopes|Moreira|Teixeira'),
    places: list('Lisboa|Porto|São Paulo|Recife|Coimbra|Salvador'),
  },
  {
    lang: 'de',
    share: 7,
    gap: ' ',
    openings: list(
      'Heute Morgen habe ich|Gestern Abend habe ich|Nach der Arbeit habe ich|Auf dem Heimweg habe ich|Mit meiner Schwester habe ich|Zum ersten Mal habe ich|Bei Regen habe ich|Vor dem Frühstück habe ich',
    ),
    deeds: list(
      'am Hafen Schiffe gezählt|ein altes Buch gelesen|das Fahrrad repariert|Tomaten gepflanzt|ein großes Brot gebacken|ein kleines Programm geschrieben|vierzig Fotos gemacht|eine Karte vom Tal gezeichnet|eine ruhige Bäckerei gefunden|eine neue Platte gehört',
    ),
    ends: list(
      'und es hat sich gelohnt.|und niemand hat es bemerkt.|bevor die Wolken kamen.|mit mehr Glück als Verstand.|und etwas Neues gelernt.|während die Stadt schlief.|wie früher meine Großmutter.|und würde es wieder tun.',
    ),
    remarks: list(
      'Morgen mehr dazu.|Macht das noch jemand?|Sehr zu empfehlen.|Was für eine Woche!|Fotos folgen.|Das war alles.',
    ),
    answers: list(
      'Das habe ich auch gedacht.|Was für eine gute Nachricht!|Wo war das denn?|Danke fürs Teilen.|Da bin ich nicht so sicher.|Ich bin dabei.|Wie lange hat das gedauert?|Du hast wie immer recht.',
    ),
    tags: list('#musik|#küche|#bücher|#regen|#garten|#fotografie|#sonntag|#reisen'),
    bios: list(
      'Züge, Karten und Kaffee.|Lehrerin für Physik.|Liest viel, schreibt wenig. #bücher|Halb Ingenieur, halb Gärtner.',
    ),
    firstNames: list('Anna|Jonas|Lena|Felix|Greta|Moritz|Sophie|Paul|Käthe|Jürgen'),
    lastNames: list('Bauer|Fischer|Hoffmann|Krüger|Lange|Müller|Neumann|Schäfer|Vogel|Weiß'),
    places: list('Berlin|Hamburg|Wien|Zürich|Leipzig|München'),
  },
  {
    lang: 'fr',
    share: 7,
    gap: ' ',
    openings: list(
      "Ce matin j'ai|Hier soir j'ai|Après le travail j'ai|Sur le chemin du retour j'ai|Avec ma sœur j'ai|Pour la première fois j'ai|Sous la pluie j'ai|Avant le déjeuner j'ai",
    ),
    deeds: list(
      'longé le port à pied|lu un vieux livre|réparé le vélo|planté des tomates|préparé une énorme soupe|trouvé une boulangerie tranquille|écrit un petit programme|pris quarante photos|dessiné une carte de la vallée|écouté un nouveau disque',
    ),
    ends: list(
      'et cela valait la peine.|et personne ne l’a remarqué.|avant l’arrivée des nuages.|avec plus de chance que de talent.|et appris quelque chose.|pendant que la ville dormait.|comme faisait ma grand-mère.|et je recommencerais volontiers.',
    ),
    remarks: list(
      'La suite demain.|Qui d’autre fait cela ?|Je le recommande.|Quelle semaine !|Les photos arrivent.|Voilà, c’est tout.',
    ),
    answers: list(
      'J’ai pensé la même chose.|Quelle bonne nouvelle !|C’était où, exactement ?|Merci pour le partage.|Je n’en suis pas si sûr.|Comptez sur moi.|Cela a pris combien de temps ?|Tu as raison, comme toujours.',
    ),
    tags: list('#musique|#cuisine|#livres|#pluie|#jardin|#été|#dimanche|#voyages'),
    bios: list(
      'Trains, cartes et café.|Professeure de physique.|Lit beaucoup, écrit peu. #livres|Moitié ingénieur, moitié jardinier.',
    ),
    firstNames: list('Camille|Hugo|Léa|Louis|Manon|Théo|Zoé|Émile|Chloé|Rémi'),
    lastNames: list('Bernard|Colin|Dupont|Fontaine|Girard|Lefèvre|Moreau|Noël|Perrin|Roux'),
    places: list('Paris|Lyon|Bruxelles|Genève|Montréal|Nantes'),
  },
  {
    lang: 'ko',
    share: 6,
    gap: ' ',
    openings: list('오늘 아침에|어제 저녁에|퇴근하고 나서|집에 오는 길에|친구와 함께|처음으로|비를 맞으며|주말에'),
    deeds: list(
      '항구를 따라 걸었는데|오래된 책을 읽었는데|자전거를 고쳤는데|토마토를 심었는데|빵을 구웠는데|조용한 빵집을 찾았는데|작은 프로그램을 만들었는데|사진을 많이 찍었는데',
    ),
    ends: list(
      '정말 즐거웠어요.|조금 피곤했어요.|또 가고 싶어요.|새로운 것을 배웠어요.|바람이 강했어요.|아주 만족해요.',
    ),
    remarks: list('내일 더 쓸게요.|추천합니다.|여러분은 어때요?|사진은 나중에요.|좋은 하루 보내세요.'),
    answers: list(
      '저도 그렇게 생각해요.|정말 좋은 소식이네요!|어디에서 찍었어요?|알려 줘서 고마워요.|저도 함께할게요.|얼마나 걸렸어요?',
    ),
    tags: list('#사진|#자전거|#독서|#요리|#날씨|#음악|#여행'),
    bios: list('사진과 자전거.|책과 커피를 좋아해요.|서울에 살아요. #요리|천천히 달립니다.'),
    firstNames: list('민준|서연|지후|하은|도윤|수아|예준|지우'),
    lastNames: list('김|이|박|최|정|강|조|윤'),
    places: list('서울|부산|인천|대구|광주'),
  },
]

export const CASHTAGS = list('$ACME|$ROST|$TREE|$MAP|$TEA|$BIKE')
// Only single characters: the first emoji that consists of several costs half a second, because its pattern is large.
export const EMOJI = list('🌊|🚲|📚|☕|🍅|🎶|📷|🥖|🌱|🚂|🗻|✨')
export const LINK_SITES = list(
  'https://example.com|https://news.example.org|https://www.example.net|http://blog.example.com',
)
export const LINK_WORDS = list('garden|harbour|bicycle|bread|weather|music|books|trains|valley|rain|letters|maps')
export const SOURCES = list('Web App|Phone App|Tablet App|Scheduler')

/** Names that seeded posts mention, the most frequent first. */
export const TALKED_ABOUT = list(
  'Champions League|Taylor Swift|NASA|Tokyo|FC Barcelona|ChatGPT|Christmas|World Cup|Premier League|Lionel Messi|New York|Netflix|Real Madrid|Eurovision|Paris|Bad Bunny|Formula 1|Studio Ghibli|United Nations|Manchester City|Stranger Things|PlayStation 5|Mount Fuji|Bitcoin|Berlin|Star Wars|Mexico City|Wimbledon|Seoul|Rio de Janeiro|Linux|Oxford University|London Marathon|Zendaya|Tour de France|Pikachu|Nobel Prize|Grand Canyon|São Paulo|Istanbul',
)
