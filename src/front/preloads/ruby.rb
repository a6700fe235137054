# Loaded before a Ruby program: connections to the platform's names go to the server on this machine. Written for `rostra exec`,
# which fills in the values.
require 'socket'

module RostraExec
  NAMES = '@NAMES@'.split(',').freeze
  PORTS = { 443 => Integer('@TLS_PORT@'), 80 => Integer('@PLAIN_PORT@') }.freeze

  def self.target(host, port)
    number = { 'https' => 443, 'http' => 80 }[port.to_s] || port.to_i
    return [host, port] unless host.is_a?(String) && NAMES.include?(host.downcase.chomp('.')) && PORTS.key?(number)

    ['127.0.0.1', PORTS[number]]
  end

  # `open` and `new` of TCPSocket.
  module Connecting
    def open(host, port, *rest, **options, &block)
      host, port = RostraExec.target(host, port)
      super(host, port, *rest, **options, &block)
    end

    def new(host, port, *rest, **options, &block)
      host, port = RostraExec.target(host, port)
      super(host, port, *rest, **options, &block)
    end
  end

  # `tcp` of Socket.
  module ConnectingSocket
    def tcp(host, port, *rest, **options, &block)
      host, port = RostraExec.target(host, port)
      super(host, port, *rest, **options, &block)
    end
  end
end

TCPSocket.singleton_class.prepend(RostraExec::Connecting)
Socket.singleton_class.prepend(RostraExec::ConnectingSocket)
