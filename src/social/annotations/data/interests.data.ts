/** What people are interested in: names below each category. */
export const INTERESTS: Record<string, string> = {
  Automotive:
    'Auto racing|Car culture|Classic cars|Convertibles|Electric vehicles|Hybrids|Luxury cars|Minivans|Motorcycles|Off-road vehicles|Performance cars|' +
    'SUVs|Sedans|Trucks|Car parts and repair|Vintage cars',
  Beauty:
    'Bath and body|Cosmetics|Fragrances|Hair care|Hair color|Hair styling|Makeup|Men’s grooming|Nail care|Natural beauty|Skin care|Spas and salons|Tattoos|Tanning',
  'Books and literature':
    'Biographies and memoirs|Book clubs|Children’s literature|Comics|Cookbooks|Crime fiction|Fantasy novels|Fiction|History books|Manga|Nonfiction|' +
    'Poetry|Romance novels|Science fiction books|Self-help books|Young adult fiction',
  Business:
    'Advertising|Agriculture|Biotech and biomedical|Business software|Construction|Entrepreneurship|Green solutions|Human resources|Investors|Leadership|' +
    'Logistics|Manufacturing|Marketing|Mergers and acquisitions|Public relations|Sales|Small business|Startups',
  Careers:
    'Career advice|Career planning|Freelancing|Internships|Interviewing|Job fairs|Job search|Military careers|Networking|Nursing|Remote work|Resume writing|Teaching jobs',
  Education:
    'Adult education|Art history|College life|Distance learning|Early childhood education|Graduate school|Homeschooling|Language learning|Private schools|' +
    'Scholarships|Special education|Student loans|Study abroad|Teachers|Test preparation|Tutoring',
  Events:
    'Award shows|Comic conventions|Concerts and festivals|Conferences|Fashion weeks|Film festivals|Holidays|Olympic games|Parades|Sporting events|Trade shows|Weddings',
  'Family and parenting':
    'Adoption|Babies and toddlers|Daycare and preschool|Elder care|Expecting parents|Fatherhood|Grandparents|Motherhood|New parents|Parenting teens|Pregnancy|' +
    'School-age children|Single parents|Special needs children',
  'Food and drink':
    'American cuisine|Baking|Barbecue and grilling|Beer|Breakfast|Chinese cuisine|Cocktails|Coffee and tea|Cooking|Desserts|Dining out|Fast food|Food trucks|' +
    'French cuisine|Healthy eating|Indian cuisine|Italian cuisine|Japanese cuisine|Mexican cuisine|Seafood|Street food|Vegan|Vegetarian|Wine',
  Gaming:
    'Action games|Board games|Card games|Casual games|Computer gaming|Console gaming|Esports|Game development|Indie games|Massively multiplayer games|Mobile gaming|' +
    'Online gaming|Puzzle games|Racing games|Retro games|Roleplaying games|Shooter games|Simulation games|Sports games|Strategy games|Virtual reality games',
  Health:
    'Allergies|Alternative medicine|Cancer awareness|Dental care|Dieting|Exercise and fitness|Heart health|Medical research|Meditation|Men’s health|' +
    'Mental health|Nutrition|Physical therapy|Pilates|Running|Sleep|Smoking cessation|Weight loss|Women’s health|Yoga',
  'Hobbies and interests':
    'Antiques|Arts and crafts|Astrology|Birdwatching|Calligraphy|Chess|Collecting|Drawing and sketching|Drones|Genealogy|Guitar|Knitting|Magic tricks|' +
    'Model building|Painting|Photography|Pottery|Puzzles|Scrapbooking|Sewing|Stamps and coins|Woodworking',
  'Home and garden':
    'Appliances|Architecture|Bedding and bath|Cleaning|Decorating|Do it yourself|Furniture|Gardening|Home automation|Home entertaining|Home repair|Interior design|' +
    'Kitchens|Landscaping|Remodeling|Sustainable living',
  'Law, government, and politics':
    'Activism|Civil rights|Elections|Foreign policy|Immigration|Legal issues|Local government|Military|National politics|Nonprofits|Public policy|Veterans',
  'Life stages':
    'College students|Empty nesters|Engaged couples|First-time home buyers|Moving|New graduates|Newlyweds|Retirement|Seniors|Teens|Young professionals',
  'Movies and television':
    'Action and adventure|Animation|Anime|Bollywood|Classic films|Comedy|Cooking shows|Documentary|Drama|Game shows|Horror|Independent films|Kids shows|Mystery and crime|' +
    'Reality television|Romance films|Science fiction|Soap operas|Streaming series|Superheroes|Talk shows|Westerns',
  'Music and radio':
    'Alternative|Blues|Christian music|Classical|Country|Dance and electronic|Folk|Hip hop and rap|Holiday music|Indie music|Jazz|K-pop|Latin music|' +
    'Metal|Music festivals|Podcasts|Pop|Punk|R&B and soul|Radio|Reggae|Rock|Singer-songwriters|Vinyl records',
  'Personal finance':
    'Banking|Beginning investing|Budgeting|Credit and debt|Cryptocurrency|Financial news|Financial planning|Hedge funds|Insurance|Mortgages|Mutual funds|' +
    'Options|Real estate investing|Retirement planning|Stocks|Tax planning',
  Pets: 'Animal rescue|Aquariums|Birds|Cats|Dogs|Horses|Pet adoption|Pet food|Pet training|Rabbits|Reptiles|Small pets|Veterinary medicine',
  Science:
    'Archaeology|Astronomy|Biology|Botany|Chemistry|Climate|Ecology|Genetics|Geography|Geology|Marine biology|Mathematics|Medicine|Neuroscience|Paleontology|' +
    'Physics|Psychology|Space exploration|Weather|Zoology',
  Society:
    'Charity|Community|Dating|Ethnic and regional cultures|Faith and religion|Friendship|Gender equality|History|LGBTQ life|Marriage|Philosophy|Spirituality|Volunteering',
  Sports:
    'American football|Auto sports|Badminton|Baseball|Basketball|Boxing|Cheerleading|Climbing|College football|Cricket|Cycling|Diving|Fantasy sports|Figure skating|' +
    'Fishing|Golf|Gymnastics|Handball|Hiking|Hockey|Horse racing|Hunting|Martial arts|Mixed martial arts|Motor racing|Paddle sports|Rugby|Running and jogging|' +
    'Sailing|Skateboarding|Skiing|Snowboarding|Soccer|Softball|Surfing|Swimming|Table tennis|Tennis|Triathlon|Volleyball|Walking|Wrestling',
  'Style and fashion':
    'Accessories|Activewear|Bags|Boutiques|Children’s fashion|Designers|Footwear|Handmade fashion|Jewelry|Luxury fashion|Men’s fashion|Models|Plus size fashion|' +
    'Sneakers|Street style|Sustainable fashion|Sunglasses|Thrift shopping|Watches|Women’s fashion',
  'Technology and computing':
    'Artificial intelligence|Cameras|Cloud computing|Computer certification|Computer hardware|Computer programming|Consumer electronics|Cybersecurity|' +
    'Data science|Databases|Desktop publishing|Developer tools|Enterprise software|Gadgets|Graphics software|Home theater|Internet of things|Laptops|' +
    'Mobile apps|Networking hardware|Open source|Operating systems|Robotics|Search engines|Smart watches|Smartphones|Social media|Tablets|Tech news|Virtual reality|Web design',
  Travel:
    'Adventure travel|Africa|Air travel|Asia|Australia and New Zealand|Backpacking|Beaches|Bed and breakfasts|Budget travel|Business travel|Camping|Canada|Caribbean|' +
    'City breaks|Cruises|Eastern Europe|Europe|Family travel|France|Greece|Honeymoons|Hotels|Italy|Japan|Luxury travel|Mexico and Central America|National parks|' +
    'Road trips|South America|Spas|Theme parks|Train travel|United Kingdom|United States',
}
