import { expect, test } from 'vitest'
import { isReservedAddress } from '../../src/process/outgoing.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '172.15.0.1',
  '192.167.1.1',
  '223.255.255.255',
  '2600::1',
  '2a00::5',
])('the public address %s may be called', (address) => {
  expect(isReservedAddress(address)).toBe(false)
})

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '198.19.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::8.8.8.8',
  'fe80::1%eth0',
  'fd00::1',
  'ff02::1',
  '2001:db8::1',
  '2002:808:808::1',
])('the address %s is not called unless a setting allows it', (address) => {
  expect(isReservedAddress(address)).toBe(true)
})
