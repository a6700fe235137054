/** Postal codes of some countries: a code, or the first and the last code of a run, and the listed city. */
export const POSTAL_CODES: Record<string, string> = {
  US:
    '10001..10014=New York|10016..10040=New York|' +
    '11201=Brooklyn|11211=Brooklyn|11215=Brooklyn|90001=Los Angeles|90012=Los Angeles|90028=Los Angeles|90210=Los Angeles|' +
    '90401=Santa Monica|94102=San Francisco|94103=San Francisco|94107=San Francisco|94110=San Francisco|94117=San Francisco|' +
    '94301=Palo Alto|94607=Oakland|94704=Berkeley|95113=San Jose|95814=Sacramento|92101=San Diego|60601=Chicago|60611=Chicago|' +
    '60614=Chicago|77002=Houston|77030=Houston|75201=Dallas|78701=Austin|78704=Austin|78205=San Antonio|85004=Phoenix|' +
    '19103=Philadelphia|98101=Seattle|98109=Seattle|80202=Denver|80302=Boulder|02108=Boston|02116=Boston|02139=Cambridge|' +
    '37203=Nashville|48226=Detroit|97205=Portland|89101=Las Vegas|89109=Las Vegas|30303=Atlanta|30309=Atlanta|33130=Miami|' +
    '33139=Miami|55401=Minneapolis|33602=Tampa|70112=New Orleans|44114=Cleveland|96813=Honolulu|32801=Orlando|15222=Pittsburgh|' +
    '63101=St. Louis|45202=Cincinnati|84101=Salt Lake City|21201=Baltimore|28202=Charlotte|46204=Indianapolis|43215=Columbus',
  CA: 'M5V=Toronto|M5H=Toronto|M4Y=Toronto|H2Y=Montreal|H3B=Montreal|V6B=Vancouver|V6E=Vancouver|T2P=Calgary|T5J=Edmonton|K1P=Ottawa|R3C=Winnipeg|B3J=Halifax',
  GB:
    'EC1..EC4=London|WC1..WC2=London|E1..E20=London|N1..N22=London|NW1..NW11=London|SE1..SE28=London|SW1..SW20=London|W1..W14=London|M1..M9=Manchester|B1=Birmingham|' +
    'L1=Liverpool|LS1=Leeds|S1=Sheffield|BS1=Bristol|NE1=Newcastle upon Tyne|BN1=Brighton|OX1=Oxford|CB2=Cambridge|YO1=York|' +
    'EH1=Edinburgh|G1=Glasgow|AB10=Aberdeen|CF10=Cardiff|BT1=Belfast',
  IE: 'D01=Dublin|D02=Dublin|D04=Dublin|T12=Cork|H91=Galway|V94=Limerick',
  DE:
    '10115=Berlin|10117=Berlin|10178=Berlin|10245=Berlin|20095=Hamburg|80331=Munich|80802=Munich|50667=Cologne|' +
    '60311=Frankfurt|70173=Stuttgart|40213=Düsseldorf|04109=Leipzig|44135=Dortmund|28195=Bremen|01067=Dresden|30159=Hanover|90402=Nuremberg',
  FR: '75001..75020=Paris|13001..13016=Marseille|69001..69009=Lyon|31000=Toulouse|06000=Nice|44000=Nantes|67000=Strasbourg|33000=Bordeaux|59000=Lille',
  ES: '28001..28055=Madrid|08001..08042=Barcelona|46001..46026=Valencia|41001..41020=Sevilla|50001..50022=Zaragoza|29001=Málaga|48001=Bilbao',
  IT: '00118..00199=Rome|20121..20162=Milan|80133=Naples|10121=Turin|90133=Palermo|16121=Genoa|40121=Bologna|50122=Florence|30121=Venice',
  NL: '1011..1019=Amsterdam|3011=Rotterdam|2511=The Hague|3511=Utrecht|5611=Eindhoven|9711=Groningen',
  PT: '1100=Lisbon|1200=Lisbon|4000=Porto|4050=Porto|4700=Braga|3000=Coimbra|8000=Faro',
  JP:
    '100-0001=Tokyo|104-0061=Tokyo|106-0032=Tokyo|150-0001=Tokyo|150-0002=Tokyo|160-0022=Tokyo|220-0011=Yokohama|530-0001=Osaka|' +
    '542-0071=Osaka|460-0008=Nagoya|060-0042=Sapporo|810-0001=Fukuoka|650-0021=Kobe|600-8001=Kyoto|980-0021=Sendai|900-0014=Naha',
  BR: '01001-000=São Paulo|01310-100=São Paulo|20040-002=Rio de Janeiro|22070-900=Rio de Janeiro|70040-010=Brasília|30110-001=Belo Horizonte|80010-000=Curitiba',
  MX: '06000=Mexico City|06700=Mexico City|11560=Mexico City|44100=Guadalajara|64000=Monterrey|77500=Cancún',
  IN: '400001=Mumbai|400050=Mumbai|110001=New Delhi|560001=Bengaluru|500001=Hyderabad|600001=Chennai|700001=Kolkata|411001=Pune',
  AU: '2000=Sydney|2010=Sydney|3000=Melbourne|3065=Melbourne|4000=Brisbane|6000=Perth|5000=Adelaide|2600=Canberra|7000=Hobart',
}
