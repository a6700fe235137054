<?php
// Run by `rostra exec`: PHP's curl and streams. Prints one line of JSON.
$address = 'https://api.x.com/2/users/by/username/alice';
$header = 'Authorization: Bearer ' . getenv('BEARER_TOKEN');
$name = fn ($text) => is_string($text) ? json_decode($text, true)['data']['username'] : 'failed';
$found = [];
if (function_exists('curl_init')) {
    $curl = curl_init($address);
    curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => [$header]]);
    $found['curl'] = $name(curl_exec($curl));
}
stream_context_set_option(stream_context_get_default(), 'http', 'header', $header);
$found['stream'] = $name(file_get_contents($address));
echo json_encode($found), "\n";
