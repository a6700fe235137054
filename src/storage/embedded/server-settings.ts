const SETTINGS = {
  shared_buffers: '256MB',
  max_connections: '200',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum: 'on',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // The reader of the lines adds the time.
  log_line_prefix: '',
}

/** Where a server listens: at a socket in a folder, or without one at a port of this machine. */
export interface Listening {
  port: number
  socketFolder: string | undefined
  /** Settings that differ from those of the product. */
  settings?: Readonly<Record<string, string>> | undefined
}

/** The settings of the server as arguments of `postgres`. */
export function serverFlags({ port, socketFolder, settings: others }: Listening): string[] {
  const settings = {
    ...SETTINGS,
    ...others,
    port: String(port),
    listen_addresses: socketFolder === undefined ? '127.0.0.1' : '',
    // A list of quoted folders: an unquoted comma would end a name.
    unix_socket_directories: socketFolder === undefined ? '' : `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
