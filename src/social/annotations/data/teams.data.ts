/** Sports teams, leagues and single events. Other names follow after `=`. */
export const TEAMS = `Manchester United=Man United=Man Utd|Manchester City=Man City|Tottenham Hotspur=Spurs|Newcastle United|Aston Villa|West Ham United=West Ham|
Everton FC|Leicester City|Leeds United|Nottingham Forest|Crystal Palace|Brighton & Hove Albion|Wolverhampton Wanderers|Southampton FC|Sheffield United|
Celtic FC|Rangers FC|Atlético Madrid=Atletico Madrid|Sevilla FC|Valencia CF|Villarreal CF|Real Betis|Real Sociedad|Athletic Club|Girona FC|FC Barcelona=Barça|
SSC Napoli|AS Roma|SS Lazio|Atalanta BC|ACF Fiorentina|Borussia Dortmund=BVB|RB Leipzig|Bayer Leverkusen|VfB Stuttgart|Eintracht Frankfurt|Schalke 04|
Hamburger SV|Werder Bremen|FC St. Pauli|Union Berlin|Olympique de Marseille|Olympique Lyonnais|AS Monaco|LOSC Lille|Ajax Amsterdam|PSV Eindhoven|Feyenoord|
SL Benfica=Benfica|FC Porto|Sporting CP|Galatasaray|Fenerbahçe|Beşiktaş|Trabzonspor|Olympiacos|Shakhtar Donetsk|Dynamo Kyiv|Red Bull Salzburg|FC Copenhagen|
River Plate|Racing Club|Independiente|San Lorenzo|Palmeiras|Corinthians|São Paulo FC|Santos FC|Fluminense|Vasco da Gama|Botafogo|Grêmio|Atlético Mineiro|
Cruzeiro|Colo-Colo|Universidad de Chile|Atlético Nacional|Millonarios|América de Cali|Peñarol|Club América|Chivas de Guadalajara|Cruz Azul|Pumas UNAM|
Tigres UANL|Inter Miami|LA Galaxy|LAFC|Seattle Sounders|Atlanta United|Toronto FC|Al Nassr|Al Hilal|Al Ahly|Zamalek|Kaizer Chiefs|Orlando Pirates|
Urawa Reds=浦和レッズ|Kawasaki Frontale|Vissel Kobe|Yokohama F. Marinos|Kashima Antlers|Persib Bandung|Persija Jakarta|Kerala Blasters|Mohun Bagan|
Atlanta Hawks|Brooklyn Nets|Charlotte Hornets|Cleveland Cavaliers|Dallas Mavericks|Denver Nuggets|Detroit Pistons|Houston Rockets|Indiana Pacers|
Los Angeles Clippers=LA Clippers|Los Angeles Lakers=Lakers|Memphis Grizzlies|Miami Heat|Milwaukee Bucks|Minnesota Timberwolves|New Orleans Pelicans|
New York Knicks=Knicks|Oklahoma City Thunder|Orlando Magic|Philadelphia 76ers|Phoenix Suns|Portland Trail Blazers|Sacramento Kings|San Antonio Spurs|
Toronto Raptors|Utah Jazz|Washington Wizards|Las Vegas Aces|New York Liberty|Indiana Fever|Seattle Storm|Arizona Cardinals|Atlanta Falcons|
Baltimore Ravens|Buffalo Bills|Carolina Panthers|Chicago Bears|Cincinnati Bengals|Cleveland Browns|Denver Broncos|Detroit Lions|Houston Texans|
Indianapolis Colts|Jacksonville Jaguars|Las Vegas Raiders|Los Angeles Chargers|Los Angeles Rams|Miami Dolphins|Minnesota Vikings|New England Patriots|
New Orleans Saints|New York Giants|New York Jets|Philadelphia Eagles|Pittsburgh Steelers|San Francisco 49ers|Seattle Seahawks|Tampa Bay Buccaneers|
Tennessee Titans|Washington Commanders|Arizona Diamondbacks|Atlanta Braves|Baltimore Orioles|Boston Red Sox=Red Sox|Chicago Cubs|Chicago White Sox|
Cincinnati Reds|Cleveland Guardians|Colorado Rockies|Detroit Tigers|Houston Astros|Kansas City Royals|Los Angeles Angels|Miami Marlins|Milwaukee Brewers|
Minnesota Twins|New York Mets|New York Yankees=Yankees|Oakland Athletics|Philadelphia Phillies|Pittsburgh Pirates|San Diego Padres|San Francisco Giants|
Seattle Mariners|St. Louis Cardinals|Tampa Bay Rays|Texas Rangers|Toronto Blue Jays|Washington Nationals|Yomiuri Giants=読売ジャイアンツ|
Hanshin Tigers=阪神タイガース|Hiroshima Toyo Carp|SoftBank Hawks|Anaheim Ducks|Boston Bruins|Buffalo Sabres|Calgary Flames|Carolina Hurricanes|
Chicago Blackhawks|Colorado Avalanche|Columbus Blue Jackets|Dallas Stars|Detroit Red Wings|Edmonton Oilers|Florida Panthers|Los Angeles Kings|
Minnesota Wild|Montreal Canadiens|Nashville Predators|New Jersey Devils|New York Islanders|New York Rangers|Ottawa Senators|Philadelphia Flyers|
Pittsburgh Penguins|San Jose Sharks|Seattle Kraken|St. Louis Blues|Tampa Bay Lightning|Toronto Maple Leafs|Vancouver Canucks|Vegas Golden Knights|
Washington Capitals|Winnipeg Jets|Alabama Crimson Tide|Ohio State Buckeyes|Michigan Wolverines|Georgia Bulldogs|Texas Longhorns|LSU Tigers|
Notre Dame Fighting Irish|Duke Blue Devils|North Carolina Tar Heels|Kentucky Wildcats|Kansas Jayhawks|Mumbai Indians|Royal Challengers Bengaluru=Royal Challengers Bangalore|
Kolkata Knight Riders|Delhi Capitals|Sunrisers Hyderabad|Rajasthan Royals|Punjab Kings|Gujarat Titans|Lucknow Super Giants|Lahore Qalandars|Karachi Kings|
Perth Scorchers|Sydney Sixers|All Blacks|Springboks|Wallabies|Leinster Rugby|Stade Toulousain|Saracens|Brisbane Broncos|Penrith Panthers|
South Sydney Rabbitohs|Collingwood Magpies|Richmond Tigers|Sydney Swans|Geelong Cats|Red Bull Racing|Scuderia Ferrari|McLaren Racing|
Mercedes-AMG Petronas|Aston Martin F1|Williams Racing|Alpine F1|Haas F1 Team|Ducati Corse|Visma–Lease a Bike|UAE Team Emirates`

export const ESPORTS_TEAMS = `Fnatic|Team Liquid|G2 Esports|Natus Vincere=NAVI|FaZe Clan|Cloud9|T1 Esports|Gen.G|100 Thieves|TSM|OpTic Gaming|Sentinels|Evil Geniuses|
Astralis|Ninjas in Pyjamas|Team Vitality|MIBR|LOUD Esports|KRÜ Esports|Paper Rex|DRX|EDward Gaming|JD Gaming|Royal Never Give Up`

export const LEAGUES = `UEFA Europa League|Europa Conference League|Copa Libertadores|Copa Sudamericana|Copa América|AFC Champions League|CAF Champions League|
Africa Cup of Nations=AFCON|Women’s Super League|NWSL|EFL Championship|FA Cup|Copa del Rey|DFB-Pokal|Coppa Italia|Brasileirão|Eredivisie|Primeira Liga|Süper Lig|
Saudi Pro League|A-League|K League|Chinese Super League|Indian Super League|Nations League|Euro 2024|Euro 2028|FIFA World Cup|FIFA Women’s World Cup|
FIFA Club World Cup|EuroLeague|EuroBasket|FIBA World Cup|NBA G League|NCAA Football|College Football Playoff|Minor League Baseball|Nippon Professional Baseball|
KBO League|Liga BBVA MX|Big Bash League|The Hundred|Pakistan Super League|Caribbean Premier League|ICC Cricket World Cup|T20 World Cup|Rugby World Cup|
Super Rugby|Premiership Rugby|Top 14|United Rugby Championship|National Rugby League|Australian Football League|Kontinental Hockey League|MotoGP|
Formula E|IndyCar|World Rally Championship|World Endurance Championship|ATP Tour|WTA Tour|PGA Tour|LIV Golf|LPGA|Diamond League|World Athletics|
Ryder Cup|Davis Cup|Billie Jean King Cup|Laver Cup|Bellator|ONE Championship|All Elite Wrestling|Grand Slam of Darts|World Snooker Tour|
Overwatch League|League of Legends World Championship|Valorant Champions Tour|The International Dota 2 Championship`

export const SPORTS_EVENTS = `Super Bowl|World Series|NBA Finals|NBA All-Star Game|Stanley Cup|March Madness|Final Four|Rose Bowl|Champions League Final|El Clásico|
Wimbledon|US Open|Australian Open|Roland Garros|The Masters|Ryder Cup|Kentucky Derby|Grand National|Royal Ascot|Melbourne Cup|Tour de France|Giro d’Italia|
Vuelta a España|Paris-Roubaix|Milan–San Remo|Boston Marathon|London Marathon|New York City Marathon|Berlin Marathon|Tokyo Marathon|Monaco Grand Prix|
British Grand Prix|Italian Grand Prix|Japanese Grand Prix|Singapore Grand Prix|Brazilian Grand Prix|Las Vegas Grand Prix|Indianapolis 500|Daytona 500|
24 Hours of Le Mans|Dakar Rally|Summer Olympics|Winter Olympics|Olympic Games|Paralympic Games|Commonwealth Games|Asian Games|Pan American Games|
America’s Cup|Vendée Globe|WrestleMania|Royal Rumble|SummerSlam|State of Origin|The Ashes|Boxing Day Test|NFL Draft|NBA Draft|Transfer Deadline Day`
