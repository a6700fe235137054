<?php
// Loaded before a PHP program: streams without a context of their own use the proxy. Written for `rostra exec`.
stream_context_set_default(['http' => ['proxy' => 'tcp://127.0.0.1:@PROXY_PORT@', 'request_fulluri' => false]]);
