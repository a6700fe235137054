/** Devices by manufacturer. */
export const DEVICES: { os: 'Platform_A' | 'Platform_B'; manufacturer: string; names: string }[] = [
  {
    os: 'Platform_B',
    manufacturer: 'Apple',
    names:
      'iPhone 6|iPhone 6 Plus|iPhone 6s|iPhone 6s Plus|iPhone SE|iPhone 7|iPhone 7 Plus|iPhone 8|iPhone 8 Plus|iPhone X|iPhone XR|iPhone XS|iPhone XS Max|' +
      'iPhone 11|iPhone 11 Pro|iPhone 11 Pro Max|iPhone SE (2nd generation)|iPhone 12 mini|iPhone 12|iPhone 12 Pro|iPhone 12 Pro Max|iPhone 13 mini|iPhone 13|' +
      'iPhone 13 Pro|iPhone 13 Pro Max|iPhone SE (3rd generation)|iPhone 14|iPhone 14 Plus|iPhone 14 Pro|iPhone 14 Pro Max|iPhone 15|iPhone 15 Plus|' +
      'iPhone 15 Pro|iPhone 15 Pro Max|iPhone 16|iPhone 16 Plus|iPhone 16 Pro|iPhone 16 Pro Max|iPhone 16e|iPhone 17|iPhone 17 Pro|iPhone 17 Pro Max|iPhone Air|' +
      'iPad|iPad mini|iPad Air|iPad Pro|iPod touch',
  },
  {
    os: 'Platform_A',
    manufacturer: 'Samsung',
    names:
      'Galaxy S9|Galaxy S10|Galaxy S20|Galaxy S21|Galaxy S21 Ultra|Galaxy S22|Galaxy S22 Ultra|Galaxy S23|Galaxy S23 Ultra|Galaxy S24|Galaxy S24 Ultra|Galaxy S25|' +
      'Galaxy S25 Ultra|Galaxy Note 9|Galaxy Note 10|Galaxy Note 20|Galaxy A12|Galaxy A14|Galaxy A34|Galaxy A52|Galaxy A54|Galaxy A55|Galaxy Z Flip 5|Galaxy Z Flip 6|' +
      'Galaxy Z Fold 5|Galaxy Z Fold 6|Galaxy Tab A8|Galaxy Tab S9',
  },
  {
    os: 'Platform_A',
    manufacturer: 'Google',
    names:
      'Pixel 4|Pixel 4a|Pixel 5|Pixel 5a|Pixel 6|Pixel 6 Pro|Pixel 6a|Pixel 7|Pixel 7 Pro|Pixel 7a|Pixel 8|Pixel 8 Pro|Pixel 8a|Pixel 9|Pixel 9 Pro|Pixel Fold|Pixel Tablet',
  },
  {
    os: 'Platform_A',
    manufacturer: 'Xiaomi',
    names: 'Mi 10|Mi 11|12|13|14|Redmi Note 10|Redmi Note 11|Redmi Note 12|Redmi Note 13|Redmi 12|Poco F5|Poco X6',
  },
  { os: 'Platform_A', manufacturer: 'OnePlus', names: '8|9|9 Pro|10 Pro|11|12|13|Nord|Nord 3' },
  { os: 'Platform_A', manufacturer: 'Huawei', names: 'P20|P30|P40|P50|Mate 20|Mate 30|Mate 40|nova 9' },
  {
    os: 'Platform_A',
    manufacturer: 'Motorola',
    names: 'Moto E|Moto G|Moto G Power|Moto G Stylus|Edge 40|Edge 50|Razr 40',
  },
  { os: 'Platform_A', manufacturer: 'OPPO', names: 'A54|A78|Find X5|Find X6|Reno 8|Reno 10' },
  { os: 'Platform_A', manufacturer: 'vivo', names: 'V27|V29|X90|Y20|Y36' },
  { os: 'Platform_A', manufacturer: 'Sony', names: 'Xperia 1|Xperia 5|Xperia 10|Xperia Ace' },
  { os: 'Platform_A', manufacturer: 'Nokia', names: 'C32|G21|G42|X30' },
  { os: 'Platform_A', manufacturer: 'LG', names: 'G8|V60|Velvet|Wing' },
  { os: 'Platform_A', manufacturer: 'HTC', names: 'Desire 22|One M9|U12' },
  { os: 'Platform_A', manufacturer: 'Sharp', names: 'AQUOS R8|AQUOS sense7|AQUOS sense8|AQUOS wish3' },
  { os: 'Platform_A', manufacturer: 'Asus', names: 'ROG Phone 7|ROG Phone 8|Zenfone 9|Zenfone 10' },
  { os: 'Platform_A', manufacturer: 'Lenovo', names: 'Tab M10|Tab P11|Legion Phone' },
  { os: 'Platform_A', manufacturer: 'Tecno', names: 'Camon 20|Phantom X2|Pova 5|Spark 10' },
  { os: 'Platform_A', manufacturer: 'Infinix', names: 'Hot 30|Note 30|Zero 30' },
  { os: 'Platform_A', manufacturer: 'Nothing', names: 'Phone (1)|Phone (2)|Phone (2a)' },
  { os: 'Platform_A', manufacturer: 'Realme', names: '9|10|11 Pro|C55|GT 5' },
]
