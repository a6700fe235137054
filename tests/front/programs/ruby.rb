# Run by `rostra exec`: Ruby's own HTTP. Prints one line of JSON.
require 'json'
require 'net/http'
require 'open-uri'

uri = URI('https://api.x.com/2/users/by/username/alice')
headers = { 'Authorization' => "Bearer #{ENV.fetch('BEARER_TOKEN')}" }
name = ->(text) { JSON.parse(text).dig('data', 'username') }
direct = Net::HTTP.new(uri.host, uri.port, nil)
direct.use_ssl = true
puts JSON.generate(
  'Net::HTTP' => name.call(Net::HTTP.get(uri, headers)),
  'Net::HTTP without a proxy' => name.call(direct.get(uri.path, headers).body),
  'open-uri' => name.call(uri.open(headers).read)
)
