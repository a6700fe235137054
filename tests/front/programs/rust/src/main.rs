// Run by `rostra exec`: reqwest with the TLS of the system. Prints the status.
fn main() {
    let token = std::env::var("X_BEARER_TOKEN").unwrap();
    let client = reqwest::blocking::Client::new();
    let answer = client.get("https://api.x.com/2/users/by/username/alice").bearer_auth(token).send().unwrap();
    println!("{}", answer.status().as_u16());
}
