// Run by `rostra exec`: Java's two HTTP clients. Prints the status of each.
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public class Clients {
    public static void main(String[] args) throws Exception {
        URI uri = URI.create("https://api.x.com/2/users/by/username/alice");
        String authorization = "Bearer " + System.getenv("X_BEARER_TOKEN");
        HttpRequest request = HttpRequest.newBuilder(uri).header("Authorization", authorization).build();
        int modern = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestProperty("Authorization", authorization);
        System.out.println(modern + " " + connection.getResponseCode());
    }
}
