// Run by `rostra exec`: Go's own HTTP. Prints the name that the server answers.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	request, _ := http.NewRequest("GET", "https://api.x.com/2/users/by/username/alice", nil)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("X_BEARER_TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var body struct{ Data struct{ Username string } }
	json.NewDecoder(answer.Body).Decode(&body)
	fmt.Println(body.Data.Username)
}
