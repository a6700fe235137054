/** Brands and companies, by the industry that is their brand category. A ticker follows after `$`, other names after `=`. */
export const BRANDS: Record<string, string> = {
  Technology: `Apple$AAPL|Google|Alphabet$GOOGL|Microsoft$MSFT|Amazon$AMZN|Meta$META|Facebook|Instagram|WhatsApp|Nvidia=NVIDIA$NVDA|Intel$INTC|AMD$AMD|
Qualcomm$QCOM|Broadcom$AVGO|Texas Instruments$TXN|Micron Technology$MU|ASML$ASML|TSMC$TSM|Arm Holdings$ARM|Samsung|LG Electronics|Sony$SONY|Panasonic|
Toshiba|Hitachi|Fujitsu|NEC|Huawei|Xiaomi|Oppo|OnePlus|Vivo Mobile|Lenovo|Dell$DELL|HP Inc$HPQ|Hewlett Packard Enterprise$HPE|IBM$IBM|Oracle$ORCL|SAP$SAP|
Salesforce$CRM|Adobe$ADBE|Autodesk$ADSK|Atlassian$TEAM|ServiceNow$NOW|Workday$WDAY|Snowflake$SNOW|Palantir$PLTR|Cloudflare$NET|CrowdStrike$CRWD|
Datadog$DDOG|MongoDB$MDB|Twilio$TWLO|Zoom$ZM|Slack|Dropbox$DBX|Shopify$SHOP|Spotify$SPOT|Pinterest$PINS|Snapchat|Reddit$RDDT|LinkedIn|TikTok|YouTube|Twitch|
Discord|Telegram|WeChat|Tencent|Alibaba|Baidu$BIDU|ByteDance|JD.com|Rakuten|Naver|Kakao|SoftBank|OpenAI|Anthropic|DeepMind|Mistral AI|Hugging Face|
Perplexity AI|Stability AI|Midjourney|xAI|DeepSeek|GitHub|GitLab|Stack Overflow|Docker|Red Hat|Canonical|Mozilla|WordPress|Wikipedia|Netgear|Cisco$CSCO|
Ericsson|Nokia|Garmin|GoPro|Fitbit|Logitech|Razer|Corsair|Asus|Acer|Canon|Nikon|Fujifilm|Leica|DJI|Bose|Sennheiser|Sonos|Dyson|iRobot|Uber$UBER|Lyft$LYFT|
Airbnb$ABNB|Booking.com|Expedia|Tripadvisor|DoorDash$DASH|Deliveroo|Grab|Gojek|Didi|Bolt|Rappi|Mercado Libre$MELI|eBay$EBAY|Etsy$ETSY|Zalando|Flipkart|Infosys|
Wipro|Tata Consultancy Services|Accenture$ACN|Capgemini|Cognizant|Trello|Notion|Figma|Canva|Grammarly|Duolingo$DUOL|Coursera|Udemy|Khan Academy|Bumble|Tinder`,
  Automotive: `Tesla$TSLA|Toyota|Honda|Nissan|Mazda|Subaru|Mitsubishi|Suzuki|Lexus|Ford$F|General Motors$GM|Chevrolet|Cadillac|GMC|Jeep|Chrysler|Ram Trucks|Dodge|
Volkswagen|Audi|BMW|Mercedes-Benz|Porsche|Opel|Renault|Peugeot|Citroën|Stellantis$STLA|Fiat|Alfa Romeo|Ferrari$RACE|Lamborghini|Maserati|Bugatti|Volvo|Polestar|
Saab|Škoda|SEAT|Cupra|Jaguar|Land Rover|Range Rover|Bentley|Rolls-Royce|Aston Martin|McLaren|Lotus Cars|Mini Cooper|Hyundai|Kia|Genesis Motors|BYD|NIO$NIO|
XPeng|Geely|Tata Motors|Mahindra|Maruti Suzuki|Rivian$RIVN|Lucid Motors$LCID|Ducati|Harley-Davidson|Yamaha|Kawasaki|Royal Enfield|Vespa|Michelin|Pirelli|
Bridgestone|Goodyear|Bosch|Waymo`,
  'Fashion and beauty': `Nike$NKE|Adidas|Puma|Reebok|New Balance|Under Armour|Converse|Vans|Asics|Lululemon$LULU|The North Face|Patagonia|Columbia Sportswear|Timberland|
Dr. Martens|Crocs|Birkenstock|Gucci|Prada|Louis Vuitton|Chanel|Dior|Hermès|Versace|Balenciaga|Burberry|Fendi|Givenchy|Yves Saint Laurent|Valentino|Armani|
Dolce & Gabbana|Ralph Lauren|Tommy Hilfiger|Calvin Klein|Lacoste|Hugo Boss|Michael Kors|Kate Spade|Coach New York|Tiffany & Co.|Cartier|Rolex|Omega Watches|
Swatch|Casio|Seiko|Pandora Jewelry|Zara|H&M|Uniqlo|Primark|Mango Fashion|ASOS|Shein|Temu|Forever 21|Levi’s|Wrangler Jeans|Victoria’s Secret|Calzedonia|
Sephora|L’Oréal|Maybelline|MAC Cosmetics|Estée Lauder|Clinique|Lancôme|Fenty Beauty|Rare Beauty|Glossier|Nivea|Dove Soap|Garnier|Shiseido|SK-II|The Ordinary|
Natura Cosméticos|O Boticário|Ray-Ban|Oakley|Warby Parker|Supreme Brand|Off-White|Stüssy|Carhartt`,
  'Food and drink': `Coca-Cola=Coca Cola$KO|Pepsi|PepsiCo$PEP|Sprite Drink|Fanta|Dr Pepper|Mountain Dew|Gatorade|Red Bull|Monster Energy|Starbucks$SBUX|Dunkin’|Tim Hortons|
Costa Coffee|Nespresso|Nescafé|Nestlé|Lavazza|Lipton|McDonald’s=McDonalds$MCD|Burger King|Wendy’s|KFC|Taco Bell|Pizza Hut|Domino’s|Papa Johns|Subway|
Chick-fil-A|Popeyes|Five Guys|Shake Shack|In-N-Out|Chipotle$CMG|Panera Bread|Nando’s|Greggs|Jollibee|Krispy Kreme|Baskin-Robbins|Häagen-Dazs|Ben & Jerry’s|
Magnum Ice Cream|Kinder Chocolate|Ferrero|Nutella|Lindt|Toblerone|Cadbury|Hershey’s|Snickers|KitKat|Oreo|M&M’s|Skittles|Haribo|Pringles|Doritos|Cheetos|Lay’s|
Heinz|Kellogg’s|Kraft Heinz|General Mills|Unilever|Danone|Barilla|Bimbo|Tyson Foods|Beyond Meat$BYND|Impossible Foods|Oatly|Heineken|Budweiser|Bud Light|
Corona Extra|Guinness|Carlsberg|Stella Artois|Modelo Especial|Asahi|Sapporo Beer|Jack Daniel’s|Johnnie Walker|Jameson|Bacardi|Absolut Vodka|Smirnoff|
Hennessy|Moët & Chandon|Aperol|Jägermeister|Tesco|Sainsbury’s|Asda|Aldi|Lidl|Carrefour|Mercadona|Whole Foods|Trader Joe’s|Walmart$WMT|Costco$COST|Target$TGT|
Kroger|7-Eleven|HelloFresh|Instacart`,
  'Finance and business': `JPMorgan Chase=JPMorgan$JPM|Goldman Sachs$GS|Morgan Stanley$MS|Bank of America$BAC|Citigroup$C|Wells Fargo$WFC|Capital One|American Express$AXP|
Visa$V|Mastercard$MA|PayPal$PYPL|Stripe|Block Inc|Cash App|Venmo|Revolut|Klarna|Wise Payments|Monzo|N26|Nubank=Nu Bank$NU|Itaú Unibanco|Bradesco|Banco do Brasil|
Santander|BBVA|CaixaBank|HSBC|Barclays|Lloyds Bank|NatWest|Deutsche Bank|Commerzbank|BNP Paribas|Société Générale|UBS|Credit Suisse|ING Bank|UniCredit|
Intesa Sanpaolo|ICICI Bank|HDFC Bank|State Bank of India|Paytm|PhonePe|Berkshire Hathaway|BlackRock$BLK|Vanguard Group|Fidelity Investments|Charles Schwab|
Robinhood$HOOD|Coinbase$COIN|Binance|Kraken Exchange|MicroStrategy$MSTR|GameStop$GME|AMC Entertainment$AMC|Deloitte|PwC|KPMG|Ernst & Young|McKinsey|
Boston Consulting Group|Bain & Company|Bloomberg|Moody’s|Allianz|AXA|Zurich Insurance|State Farm|Geico|FedEx$FDX|UPS$UPS|DHL|Maersk|Siemens|General Electric$GE|
3M$MMM|Honeywell|Boeing$BA|Airbus|Lockheed Martin$LMT|Raytheon|Northrop Grumman|BAE Systems|SpaceX|Blue Origin|Rocket Lab$RKLB|Virgin Galactic|ExxonMobil$XOM|
Chevron$CVX|Shell|BP$BP|TotalEnergies|Saudi Aramco|Gazprom|Petrobras|Repsol|Eni|Equinor|Iberdrola|Enel|Pfizer$PFE|Moderna$MRNA|AstraZeneca|Johnson & Johnson$JNJ|
Novartis|Roche|Merck|Bayer|Sanofi|GSK|Eli Lilly$LLY|Novo Nordisk$NVO|AbbVie$ABBV|UnitedHealth$UNH|CVS|Walgreens|Procter & Gamble$PG|Colgate|Gillette|Caterpillar$CAT|
John Deere|IKEA|Home Depot$HD|Lowe’s$LOW|Best Buy|MediaMarkt|Decathlon|Lego=LEGO|Mattel|Hasbro|WeWork|Regus|Marriott|Hilton|Hyatt|Accor|Club Med`,
  'Travel and transport': `Delta Air Lines$DAL|United Airlines$UAL|American Airlines$AAL|Southwest Airlines|JetBlue|Alaska Airlines|Spirit Airlines|Air Canada|WestJet|
British Airways|Virgin Atlantic|Ryanair|easyJet|Wizz Air|Lufthansa|Eurowings|Air France|KLM|Iberia|Vueling|TAP Air Portugal|ITA Airways|SAS Airlines|Finnair|
Norwegian Air|Swiss International Air Lines|Austrian Airlines|Turkish Airlines|Emirates Airline|Qatar Airways|Etihad Airways|Saudia|EgyptAir|
Ethiopian Airlines|Kenya Airways|South African Airways|Air India|IndiGo|Vistara|Singapore Airlines|AirAsia|Cathay Pacific|Japan Airlines=JAL|
All Nippon Airways|Korean Air|Asiana Airlines|Air China|China Eastern|Garuda Indonesia|Thai Airways|Vietnam Airlines|Philippine Airlines|Cebu Pacific|
Qantas|Jetstar|Air New Zealand|LATAM Airlines|Avianca|Aeroméxico|Copa Airlines|Azul Linhas Aéreas|Aerolíneas Argentinas|Amtrak|Deutsche Bahn|SNCF|Renfe|
Trenitalia|Eurostar|Carnival Cruise|Royal Caribbean|Hertz|Avis|Sixt|Greyhound Lines|FlixBus|BlaBlaCar`,
  Media: `CNN|BBC|Fox News|MSNBC|ABC News|CBS News|NBC News|Sky News|Al Jazeera|Reuters|Associated Press|Agence France-Presse|The New York Times=NYT|The Washington Post|
The Wall Street Journal|The Guardian|Financial Times|The Economist|The Times of India|The Hindu|Le Monde|Le Figaro|El País|La Vanguardia|Der Spiegel|Die Zeit|
Corriere della Sera|La Repubblica|Folha de S.Paulo|O Globo|Clarín|La Nación|El Universal|Asahi Shimbun|Yomiuri Shimbun|Nikkei|NHK|CNBC|Bloomberg News|Politico|
Axios|BuzzFeed|Vox|Vice News|The Verge|Wired|TechCrunch|Ars Technica|Engadget|The Atlantic|The New Yorker|Time Magazine|Forbes|Fortune Magazine|National Geographic|
Rolling Stone|Billboard|Pitchfork|Variety|The Hollywood Reporter|ESPN|Sky Sports|DAZN|TNT Sports|Disney$DIS|Warner Bros. Discovery$WBD|Paramount Pictures|Comcast$CMCSA|
Peacock TV|Apple TV+|HBO Max|A24|Lionsgate|Sony Pictures|20th Century Studios|Televisa|TV Globo|Univision|Telemundo|RAI|ZDF|TF1|ITV|Channel 4|Toei Animation|
Kyoto Animation|Ufotable|MAPPA`,
}

/** Other companies whose stock is traded, with the ticker after `$`. */
export const STOCKS = `S&P 500$SPY|Nasdaq 100$QQQ|Dow Jones$DIA|Russell 2000$IWM|Netflix$NFLX|Super Micro Computer$SMCI|Carvana$CVNA|SoFi Technologies$SOFI|
Applied Materials$AMAT|Marvell Technology$MRVL|Rigetti Computing$RGTI|IonQ$IONQ|AppLovin$APP|Unity Software$U|Roblox Corporation$RBLX|Electronic Arts Inc$EA|Take-Two Interactive$TTWO|
Verizon$VZ|AT&T$T|T-Mobile US$TMUS|Philip Morris$PM|Altria$MO|Mondelez$MDLZ|Nextera Energy$NEE|Duke Energy$DUK|Union Pacific$UNP|Freeport-McMoRan$FCX|Newmont$NEM`

export const CRYPTO = `Bitcoin$BTC|Ethereum$ETH|Solana$SOL|Cardano$ADA|Dogecoin$DOGE|Ripple XRP$XRP|Polkadot$DOT|Litecoin$LTC|Chainlink$LINK|Avalanche AVAX$AVAX|
Polygon Matic$MATIC|Shiba Inu Coin$SHIB|Tether$USDT|USD Coin$USDC|BNB Chain$BNB|Tron TRX$TRX|Uniswap$UNI|Monero$XMR|Stellar Lumens$XLM|Cosmos ATOM$ATOM|
NEAR Protocol$NEAR|Arbitrum$ARB|Pepe Coin$PEPE|Toncoin$TON|Aptos$APT`
